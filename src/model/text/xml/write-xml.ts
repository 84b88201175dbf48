// Writes the XML dialect: calls as the model should write them, and results with all markup escaped.

import type { Json, JsonObject } from "../../../core/index.js";
import { isPlainObject } from "../../../core/internal.js";

/** Writes a call in the canonical form. An object whose names can't be element names is written as JSON in a CDATA section. */
export function writeCall({ name, input }: { readonly name: string; readonly input: Json }): string {
  const body = isObject(input) && isWritable(input) ? `\n${fields(input, "  ")}` : section(JSON.stringify(input));
  return `<tool>\n<tool_name>${escape(name)}</tool_name>\n<arguments>${body}</arguments>\n</tool>`;
}

/** Writes a tool's result for the model. The text is escaped, so it can't hold a call or close the element. */
export function writeResult({ name, text }: { readonly name: string; readonly text: string }): string {
  const quoted = escape(name).replaceAll('"', "&quot;");
  return `<tool_result name="${quoted}">\n${escape(text)}\n</tool_result>`;
}

function fields(input: JsonObject, indent: string): string {
  return Object.entries(input)
    .map(([name, value]) => `${indent}${element(name, value, indent)}\n`)
    .join("");
}

function element(name: string, value: Json, indent: string): string {
  const deeper = `${indent}  `;
  const close = `</${name}>`;
  if (isList(value)) {
    const items = value.map((item) => `\n${deeper}${element("item", item, deeper)}`).join("");
    return `<${name}>${items === "" ? "" : `${items}\n${indent}`}${close}`;
  }
  if (!isObject(value)) return `<${name}>${leaf(typeof value === "string" ? value : JSON.stringify(value))}${close}`;
  if (!isWritable(value)) return `<${name}>${section(JSON.stringify(value))}${close}`;
  const inner = fields(value, deeper);
  return `<${name}>${inner === "" ? "" : `\n${inner}${indent}`}${close}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return isPlainObject(value);
}

/** True if every field name is a valid element name. */
function isWritable(value: JsonObject): boolean {
  return Object.keys(value).every((name) => /^[A-Za-z_][\w.-]{0,199}$/.test(name));
}

function leaf(text: string): string {
  return /[<&]|^\s|\s$/.test(text) ? section(text) : text;
}

function section(text: string): string {
  return `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
