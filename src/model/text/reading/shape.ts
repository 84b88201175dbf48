// The shape of a value by its JSON Schema: a text, a list or an object.

import type { JsonObject } from "../../../core/index.js";
import { isPlainObject } from "../../../core/internal.js";
import { decodeName } from "../../data/decode-name.js";

/** The shape of a value. Numbers, booleans and values of several possible shapes are leaves, that is texts. */
export type Shape =
  | { readonly kind: "leaf" }
  | { readonly kind: "array"; items(): Shape }
  | {
      readonly kind: "object";
      /** The names of the declared fields. */
      readonly known: ReadonlySet<string>;
      /** True if every other name counts as a field: no field is declared, or other fields have a schema. */
      readonly isOpen: boolean;
      field(name: string): Shape;
    };

type Schema = Readonly<Record<string, unknown>>;

const leaf: Shape = { kind: "leaf" };

/** The shape of a call's arguments. For an unknown tool, whose schema is undefined, any field is accepted. */
export function argumentsShape(schema: JsonObject | undefined): Shape & { readonly kind: "object" } {
  const root = schema ?? {};
  const shape = shapeOf(root, root);
  return shape.kind === "object" ? shape : objectShape([], root);
}

/**
 * The alternatives of a schema, without null. References are followed. `allOf`, and what stands beside alternatives, is merged into each
 * alternative.
 */
export function resolve(schema: unknown, root: Schema, followed: ReadonlySet<string> = new Set()): readonly Schema[] {
  if (!isPlainObject(schema)) return [];
  const { $ref: reference, anyOf, oneOf, allOf, ...rest } = schema;
  if (typeof reference === "string")
    return followed.has(reference) ? [] : resolve(follow(reference, root), root, new Set([...followed, reference]));
  const each = (parts: readonly unknown[]): readonly Schema[] => parts.flatMap((part) => resolve(part, root, followed));
  const own = Array.isArray(allOf) ? merge([rest, ...each(allOf as readonly unknown[])]) : rest;
  const choices = [anyOf, oneOf].find(Array.isArray) as readonly unknown[] | undefined;
  if (choices === undefined) return [own];
  return each(choices)
    .filter(({ type }) => type !== "null")
    .map((choice) => merge([own, choice]));
}

/** The place in the schema that a reference names; undefined for a place in another document, and for an anchor. */
function follow(reference: string, root: Schema): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let target: unknown = root;
  for (const part of reference.split("/").slice(1)) {
    const key = decodeName(part);
    target = isPlainObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return target;
}

function merge(schemas: readonly Schema[]): Schema {
  const merged: Record<string, unknown> = Object.assign({}, ...schemas) as Record<string, unknown>;
  const tables = schemas.map(({ properties }) => properties).filter(isPlainObject);
  if (tables.length > 0) merged["properties"] = Object.fromEntries(tables.flatMap((table) => Object.entries(table)));
  const required = schemas.flatMap(
    (schema) => (Array.isArray(schema["required"]) ? schema["required"] : []) as unknown[],
  );
  if (required.length > 0) merged["required"] = required;
  return merged;
}

function shapeOf(schema: unknown, root: Schema): Shape {
  const choices = resolve(schema, root);
  const kinds = new Set(choices.map(kindOf));
  if (kinds.size !== 1) return leaf;
  if (kinds.has("object")) return objectShape(choices, root);
  if (!kinds.has("array")) return leaf;
  return { kind: "array", items: () => (choices.length === 1 ? shapeOf(choices[0]?.["items"], root) : leaf) };
}

function kindOf({ type, properties, items }: Schema): Shape["kind"] {
  const types = (Array.isArray(type) ? (type as readonly unknown[]) : [type]).filter((one) => one !== "null");
  if (types.length !== 1) return "leaf";
  if (types[0] === "object" || (types[0] === undefined && properties !== undefined)) return "object";
  return types[0] === "array" || (types[0] === undefined && items !== undefined) ? "array" : "leaf";
}

function objectShape(schemas: readonly Schema[], root: Schema): Shape & { readonly kind: "object" } {
  const fields = new Map(
    schemas.flatMap(({ properties }) => (isPlainObject(properties) ? Object.entries(properties) : [])),
  );
  const rest = schemas.map((schema) => schema["additionalProperties"]).find(isPlainObject);
  return {
    kind: "object",
    known: new Set(fields.keys()),
    isOpen: fields.size === 0 || rest !== undefined,
    field: (name) => (fields.has(name) ? shapeOf(fields.get(name), root) : shapeOf(rest, root)),
  };
}
