// Example arguments for a tool, made from its JSON Schema.

import type { Json, JsonObject } from "../data/json.js";

/**
 * Example arguments: each required field has its default, its first choice, or a value of its type. The first of several forms is taken. A
 * schema without a type, such as a reference, gives the text `...`. The arguments may break other rules of the schema.
 */
export function exampleArguments(schema: JsonObject): Json {
  const { default: preset, enum: choices, const: only, type, properties, required, items, anyOf, oneOf } = schema;
  if (preset !== undefined) return preset;
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return (choices as readonly Json[])[0] ?? null;
  const forms = (Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []) as readonly JsonObject[];
  if (forms[0] !== undefined) return exampleArguments(withForm(schema, forms[0]));
  const kind: unknown = Array.isArray(type) ? type[0] : type;
  switch (kind) {
    case "object": {
      const fields = (properties ?? {}) as Readonly<Record<string, JsonObject>>;
      const names = (required ?? []) as readonly string[];
      return Object.fromEntries(names.map((name) => [name, exampleArguments(fields[name] ?? {})]));
    }
    case "array":
      return items === undefined ? [] : [exampleArguments(items as JsonObject)];
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "...";
  }
}

/** The schema with one of its forms: the fields of both, and all that either requires. */
function withForm({ anyOf: _anyOf, oneOf: _oneOf, ...own }: JsonObject, form: JsonObject): JsonObject {
  const of = (name: string): JsonObject => ({ ...(own[name] as JsonObject), ...(form[name] as JsonObject) });
  const required = [own["required"] ?? [], form["required"] ?? []].flat() as readonly Json[];
  return { ...own, ...form, properties: of("properties"), required };
}
