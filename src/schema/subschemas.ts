// The schemas directly nested in a JSON Schema.

import { isPlainObject } from "../core/internal.js";

/** A schema nested in another schema, with its path. */
export interface Subschema {
  /** For example `#/properties/a`. */
  readonly path: string;
  readonly schema: unknown;
}

const single = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const lists = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const tables = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/** The schemas directly nested in `schema`; `at` is the path of `schema`. */
export function subschemas(schema: Readonly<Record<string, unknown>>, at: string): readonly Subschema[] {
  const found: Subschema[] = [];
  const add = (key: string, part: unknown): void => {
    found.push({ path: `${at}/${key}`, schema: part });
  };
  for (const keyword of single) {
    const part = schema[keyword];
    if (part !== undefined && !Array.isArray(part)) add(keyword, part);
  }
  for (const keyword of lists) {
    const parts = schema[keyword];
    if (Array.isArray(parts))
      parts.forEach((part, index) => {
        add(`${keyword}/${String(index)}`, part);
      });
  }
  for (const keyword of tables) {
    const parts = schema[keyword];
    if (isPlainObject(parts)) for (const [name, part] of Object.entries(parts)) add(`${keyword}/${name}`, part);
  }
  return found;
}
