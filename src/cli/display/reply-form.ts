// The form of a reply that a tool awaits, in the words of a JSON Schema made short for people.

import { isPlainObject } from "../../core/internal.js";

/** The form of a value of this schema, for example `{ "approved": true | false, "note"?: text }`. */
export function replyForm(schema: unknown): string {
  if (!isPlainObject(schema)) return "any value";
  const { type, properties, required, items } = schema;
  if ("const" in schema) return JSON.stringify(schema["const"]);
  for (const choices of [schema["anyOf"], schema["oneOf"]])
    if (Array.isArray(choices)) return choices.map(replyForm).join(" | ");
  if (Array.isArray(schema["enum"])) return schema["enum"].map((one) => JSON.stringify(one)).join(" | ");
  if (type === "object" && isPlainObject(properties)) {
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const fields = Object.entries(properties).map(
      ([name, field]) => `${JSON.stringify(name)}${needed.includes(name) ? "" : "?"}: ${replyForm(field)}`,
    );
    return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
  }
  if (Array.isArray(type)) return type.map((one: unknown) => replyForm({ ...schema, type: one })).join(" | ");
  if (type === "array") return `[${replyForm(items)}, ...]`;
  return typeof type === "string" ? (names.get(type) ?? "any value") : "any value";
}

const names: ReadonlyMap<string, string> = new Map([
  ["boolean", "true | false"],
  ["string", '"text"'],
  ["number", "number"],
  ["integer", "whole number"],
  ["null", "null"],
  ["object", "{ ... }"],
]);
