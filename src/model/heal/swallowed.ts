// Markup that swallowed the next argument: a text with the end of its own field in it, and the start of another.

import type { Json } from "../../core/index.js";
import { brief, briefPath, malformed, type Defect } from "./explain.js";

/** What a text holds that was meant as the next argument. The JSON is good, so nothing else would notice. */
export function swallowedMarkup(value: Json, field = ""): Defect | undefined {
  if (typeof value === "string") return field === "" ? undefined : inText(value, field);
  if (typeof value !== "object" || value === null) return undefined;
  const items: Iterable<readonly [string, Json]> = Array.isArray(value)
    ? (value as readonly Json[]).map((item) => [field, item] as const)
    : Object.entries(value);
  for (const [name, item] of items) {
    const found = swallowedMarkup(item, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function inText(text: string, field: string): Defect | undefined {
  const closer = `</${field}>`;
  for (let at = text.indexOf(closer); at !== -1; at = text.indexOf(closer, at + closer.length)) {
    const next = /\s*(?:<parameter(?:\s+name="([^"<>]{1,100})"|=([^\s"<>]{1,100}))|<\/invoke>)/y;
    next.lastIndex = at + closer.length;
    const found = next.exec(text);
    if (found === null) continue;
    const swallowed = found[1] ?? found[2];
    const what = swallowed === undefined ? "the end of the call" : `the argument ${brief(swallowed, 30)}`;
    const where = `The text of ${briefPath(field)} has markup in it: it swallowed ${what}.`;
    return malformed(`${where} Write every argument as its own field of the JSON object, without markup.`);
  }
  return undefined;
}
