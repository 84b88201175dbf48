// The JSON types and the texts that a schema accepts.

import type { Json } from "../../core/index.js";

/** A JSON type. `number` is a number with a fraction; a schema that accepts numbers accepts both `number` and `integer`. */
export type Kind = "array" | "boolean" | "integer" | "null" | "number" | "object" | "string";

/** The types and texts that a schema accepts. */
export interface Kinds {
  readonly types: ReadonlySet<Kind>;
  /** The only texts that it accepts; undefined if it accepts any text. */
  readonly texts: ReadonlySet<string> | undefined;
}

const everyKind: readonly Kind[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** The kinds of a schema without rules. */
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

/** True if the kinds include the value. */
export function admits({ types, texts }: Kinds, value: Json): boolean {
  return types.has(kindOf(value)) && (typeof value !== "string" || texts === undefined || texts.has(value));
}

/** The kinds of the keyword `type`: a name or a list of names. */
export function kindsOfType(type: Json | undefined, nullable: boolean): Kinds {
  if (type === undefined) return anything;
  const names: readonly Json[] = Array.isArray(type) ? (type as readonly Json[]) : [type];
  const types = new Set(everyKind.filter((kind) => names.includes(kind)));
  if (types.has("number")) types.add("integer");
  if (nullable) types.add("null");
  return { types, texts: undefined };
}

/** The kinds of an enumeration of values. */
export function kindsOfValues(values: readonly Json[]): Kinds {
  return { types: new Set(values.map(kindOf)), texts: new Set(values.filter((value) => typeof value === "string")) };
}

/** The union: values that at least one of these accepts. */
export function either(all: readonly Kinds[]): Kinds {
  const withTexts = all.filter(({ types }) => types.has("string"));
  const texts = withTexts.some((kinds) => kinds.texts === undefined)
    ? undefined
    : new Set(withTexts.flatMap((kinds) => [...(kinds.texts ?? [])]));
  return { types: new Set(all.flatMap(({ types }) => [...types])), texts };
}

/** The intersection: values that both accept. */
export function both(one: Kinds, other: Kinds): Kinds {
  const types = new Set([...one.types].filter((kind) => other.types.has(kind)));
  if (one.texts === undefined) return { types, texts: other.texts };
  return { types, texts: new Set([...one.texts].filter((text) => other.texts?.has(text) ?? true)) };
}
