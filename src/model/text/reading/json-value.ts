// Reads JSON inside a longer text: the end of a value, and the fields of an object as written.

import { skipSpace } from "./reading.js";

/** A field of an object. Its value is source text. */
export interface WrittenField {
  readonly name: string;
  readonly value: string;
}

/** An object, as far as it could be read. */
export interface WrittenObject {
  readonly fields: readonly WrittenField[];
  /** The index after the object, or the index at which it can't be read further. */
  readonly end: number;
  /** False if its closing brace was not found. */
  readonly isClosed: boolean;
}

/** The end of the value at `at`; undefined if it is not closed. Markup outside strings ends the search, because JSON has none. */
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
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    const [character] = match;
    if (character === "<" || text.startsWith("[TOOL_CALLS]", match.index)) return undefined;
    if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return mark.lastIndex;
    } else if (character === '"' || opensString(text, match.index)) {
      const end = stringEnd(text, match.index);
      if (end === undefined) return undefined;
      mark.lastIndex = end;
    }
  }
  return undefined;
}

/** True if the apostrophe at `at` opens a string: only at the start of a value or a name. */
function opensString(text: string, at: number): boolean {
  return /[{[,:]\s{0,40}$/.test(text.slice(Math.max(0, at - 41), at));
}

function stringEnd(text: string, at: number): number | undefined {
  const mark = text[at] === '"' ? /[\\"]/g : /[\\']/g;
  mark.lastIndex = at + 1;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    if (match[0] !== "\\") return mark.lastIndex;
    mark.lastIndex += 1;
  }
  return undefined;
}

/** Reads the object at `at`. Names may have double quotes, single quotes or none. */
export function objectAt(text: string, at: number): WrittenObject {
  const fields: WrittenField[] = [];
  let position = at + 1;
  const unclosed = (): WrittenObject => ({ fields, end: position, isClosed: false });
  for (;;) {
    position = skipSpace(text, position);
    if (text[position] === ",") position += 1;
    else if (text[position] === "}") return { fields, end: position + 1, isClosed: true };
    else {
      const nameEnd = isQuote(text[position])
        ? stringEnd(text, position)
        : position + (/^[\w$-]+/.exec(text.slice(position, position + 200))?.[0].length ?? 0);
      if (nameEnd === undefined || nameEnd === position) return unclosed();
      const colon = skipSpace(text, nameEnd);
      if (text[colon] !== ":") return unclosed();
      const from = skipSpace(text, colon + 1);
      const end = valueEnd(text, from);
      const name = stringOf(text.slice(position, nameEnd)) ?? text.slice(position, nameEnd);
      if (end === undefined) {
        fields.push({ name, value: text.slice(from, from + 200) });
        return { fields, end: text.length, isClosed: false };
      }
      fields.push({ name, value: text.slice(from, end) });
      position = end;
    }
  }
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'";
}

/** Decodes a JSON string, also one in single quotes. Undefined for any other value. */
export function stringOf(value: string): string | undefined {
  if (value.startsWith("'") && value.endsWith("'") && !/["\\]/.test(value)) return value.slice(1, -1);
  if (!value.startsWith('"')) return undefined;
  try {
    return String(JSON.parse(value));
  } catch {
    // Not a valid JSON string: the caller uses the source text.
    return undefined;
  }
}
