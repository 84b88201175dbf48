// JSON in a text that goes on: where a value ends, and the fields of an object as they were written.

import { skipSpace } from "./reading.js";

/** A field of an object: its value is a piece of the text. */
export interface WrittenField {
  readonly name: string;
  readonly value: string;
}

/** An object as far as it can be told. */
export interface WrittenObject {
  readonly fields: readonly WrittenField[];
  /** Where it ends, or where it can't be followed. */
  readonly end: number;
  /** False where its end is missing. */
  readonly isClosed: boolean;
}

/** Where the value at `at` ends; undefined where it is not closed. Outside strings JSON has no markup: that ends the search. */
export function valueEnd(text: string, at: number): number | undefined {
  const first = text[at];
  if (first === '"' || first === "'") return stringEnd(text, at);
  if (first !== "{" && first !== "[") {
    const end = at + (/^[^,}\]\s<]*/.exec(text.slice(at, at + 400))?.[0].length ?? 0);
    return end < text.length && end > at ? end : undefined;
  }
  let depth = 0;
  const mark = /["'{}[\]<]/g;
  mark.lastIndex = at;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const [character] = found;
    if (character === "<" || text.startsWith("[TOOL_CALLS]", found.index)) return undefined;
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return mark.lastIndex;
    } else if (character === '"' || opensString(text, found.index)) {
      const end = stringEnd(text, found.index);
      if (end === undefined) return undefined;
      mark.lastIndex = end;
    }
  }
  return undefined;
}

/** An apostrophe is a quote only where a value or a name begins. */
function opensString(text: string, at: number): boolean {
  return /[{[,:]\s{0,40}$/.test(text.slice(Math.max(0, at - 41), at));
}

function stringEnd(text: string, at: number): number | undefined {
  const mark = text[at] === '"' ? /[\\"]/g : /[\\']/g;
  mark.lastIndex = at + 1;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] !== "\\") return mark.lastIndex;
    mark.lastIndex += 1;
  }
  return undefined;
}

/** The fields of the object at `at`. Their names may be quoted either way or not at all. */
export function objectAt(text: string, at: number): WrittenObject {
  const fields: WrittenField[] = [];
  let here = at + 1;
  const open = (): WrittenObject => ({ fields, end: here, isClosed: false });
  for (;;) {
    here = skipSpace(text, here);
    if (text[here] === ",") here += 1;
    else if (text[here] === "}") return { fields, end: here + 1, isClosed: true };
    else {
      const nameEnd = isQuote(text[here])
        ? stringEnd(text, here)
        : here + (/^[\w$-]+/.exec(text.slice(here, here + 200))?.[0].length ?? 0);
      if (nameEnd === undefined || nameEnd === here) return open();
      const colon = skipSpace(text, nameEnd);
      if (text[colon] !== ":") return open();
      const from = skipSpace(text, colon + 1);
      const end = valueEnd(text, from);
      const name = stringOf(text.slice(here, nameEnd)) ?? text.slice(here, nameEnd);
      if (end === undefined) {
        fields.push({ name, value: text.slice(from, from + 200) });
        return { fields, end: text.length, isClosed: false };
      }
      fields.push({ name, value: text.slice(from, end) });
      here = end;
    }
  }
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'";
}

/** The text that a JSON string says; of one in single quotes as well. Undefined for another value. */
export function stringOf(value: string): string | undefined {
  if (value.startsWith("'") && value.endsWith("'") && !/["\\]/.test(value)) return value.slice(1, -1);
  if (!value.startsWith('"')) return undefined;
  try {
    return String(JSON.parse(value));
  } catch {
    // Not a string that JSON can say: the caller takes it as it stands.
    return undefined;
  }
}
