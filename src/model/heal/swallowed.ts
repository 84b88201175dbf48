// Detects markup that swallowed the next argument: a text that holds the closing tag of its own field and the start of another
// field.

import type { Json } from "../../core/index.js";
import { brief, briefPath, malformed, type Defect } from "./explain.js";

/** The defect of a text that holds markup of the next argument. The JSON is valid, so no other check detects it. */
export function swallowedMarkup(value: Json, field = ""): Defect | undefined {
  if (typeof value === "string") return field === "" ? undefined : defectOfText(value, field);
  if (typeof value !== "object" || value === null) return undefined;
  const items: Iterable<readonly [string, Json]> = Array.isArray(value)
    ? (value as readonly Json[]).map((item) => [field, item] as const)
    : Object.entries(value);
  for (const [name, item] of items) {
    const defect = swallowedMarkup(item, name);
    if (defect !== undefined) return defect;
  }
  return undefined;
}

function defectOfText(text: string, field: string): Defect | undefined {
  const closer = `</${field}>`;
  for (let at = text.indexOf(closer); at !== -1; at = text.indexOf(closer, at + closer.length)) {
    const next = /\s*(?:<parameter(?:\s+name="([^"<>]{1,100})"|=([^\s"<>]{1,100}))|<\/invoke>)/y;
    next.lastIndex = at + closer.length;
    const match = next.exec(text);
    if (match === null) continue;
    const swallowed = match[1] ?? match[2];
    const what = swallowed === undefined ? "the end of the call" : `the argument ${brief(swallowed, 30)}`;
    const where = `The text of ${briefPath(field)} has markup in it: it swallowed ${what}.`;
    return malformed(`${where} Write every argument as its own field of the JSON object, without markup.`);
  }
  return undefined;
}
