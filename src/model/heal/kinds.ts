// Which JSON types a schema takes, and which texts.

import type { Json } from "../../core/index.js";

/** A JSON type. `number` is a number with a fraction: a schema that takes numbers takes both. */
export type Kind = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** What a schema takes, as far as types tell. */
export interface Kinds {
  readonly types: ReadonlySet<Kind>;
  /** The only texts that it takes; undefined where it takes any. */
  readonly texts: ReadonlySet<string> | undefined;
}

const everyKind: readonly Kind[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** What a schema without rules takes. */
export const anything: Kinds = { types: new Set(everyKind), texts: undefined };

/** The kind of a value. */
export function kindOf(value: Json): Kind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return "object";
}

/** True where a value of this type may stand. */
export function admits({ types, texts }: Kinds, value: Json): boolean {
  return types.has(kindOf(value)) && (typeof value !== "string" || texts === undefined || texts.has(value));
}

/** What the keyword `type` takes, a name or a list of names. */
export function kindsOfType(type: Json | undefined, nullable: boolean): Kinds {
  if (type === undefined) return anything;
  const names: readonly Json[] = Array.isArray(type) ? (type as readonly Json[]) : [type];
  const types = new Set(everyKind.filter((kind) => names.includes(kind)));
  if (types.has("number")) types.add("integer");
  if (nullable) types.add("null");
  return { types, texts: undefined };
}

/** What a list of the only values takes. */
export function kindsOfValues(values: readonly Json[]): Kinds {
  return { types: new Set(values.map(kindOf)), texts: new Set(values.filter((value) => typeof value === "string")) };
}

/** What one of these takes. */
export function either(all: readonly Kinds[]): Kinds {
  const taking = all.filter(({ types }) => types.has("string"));
  const texts = taking.some((kinds) => kinds.texts === undefined)
    ? undefined
    : new Set(taking.flatMap((kinds) => [...(kinds.texts ?? [])]));
  return { types: new Set(all.flatMap(({ types }) => [...types])), texts };
}

/** What all of these take. */
export function both(one: Kinds, other: Kinds): Kinds {
  const types = new Set([...one.types].filter((kind) => other.types.has(kind)));
  if (one.texts === undefined) return { types, texts: other.texts };
  return { types, texts: new Set([...one.texts].filter((text) => other.texts?.has(text) ?? true)) };
}
