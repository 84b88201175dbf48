// Example arguments for a tool, made from its JSON Schema.

import type { Json, JsonObject } from "../data/json.js";

/** Arguments with the required fields of a JSON Schema, by type. They may break other rules of the schema. */
export function exampleArguments(schema: JsonObject): Json {
  const { default: preset, enum: choices, const: only, type, properties, required, items, anyOf } = schema;
  if (preset !== undefined) return preset;
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return (choices as readonly Json[])[0] ?? null;
  if (Array.isArray(anyOf)) return exampleArguments(((anyOf as readonly Json[])[0] ?? {}) as JsonObject);
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
