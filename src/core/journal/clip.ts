// Clip: what the prompt shows of a result that is too long to be shown whole, and how the rest of it can be read.

import { LastcallError } from "../data/fault.js";

/** The name of the tool by which the model reads what was left out, where its agent has one of that name. */
export const readerName = "read_result";

/** Lines that are shown of the start and of the end, for each so many characters of the bound. */
const lines = { start: 40, end: 20, per: 8000 };

/** How a text is to be clipped. */
export interface Clipping {
  /** At most so many characters of it are shown. */
  readonly most: number;
  /** The call whose result it is. */
  readonly callId: string;
  /** True where the model has the tool that reads the rest. */
  readonly isReadable: boolean;
}

/**
 * The bound that the option says; undefined for none.
 * @throws LastcallError `configuration` for less than 200 characters: a marker alone takes as much.
 */
export function clipBound(clip: number | false): number | undefined {
  if (clip === false) return undefined;
  if (Number.isInteger(clip) && clip >= 200) return clip;
  throw new LastcallError(
    "configuration",
    `clip is ${String(clip)}: give a whole number of at least 200 characters, or false for no bound.`,
  );
}

/** A call's id as the model writes it: without the session, which all calls share. */
export function shortId(callId: string): string {
  return callId.split("/").slice(-2).join("/");
}

/**
 * The text clipped: the first lines and the last, or, where the lines are long, the first half and the last quarter of the
 * characters. Undefined where it fits the bound.
 */
export function clip(text: string, clipping: Clipping): string | undefined {
  const { most } = clipping;
  if (text.length <= most) return undefined;
  const scale = most / lines.per;
  const start = endOfLine(text, Math.max(1, Math.round(lines.start * scale)));
  const end = startOfLine(text, Math.max(1, Math.round(lines.end * scale)));
  if (start > 0 && start < end && start + text.length - end <= most) {
    const left = countLines(text, start, end);
    const said = `${String(left)} of ${String(countLines(text, 0, text.length))} lines are left out`;
    return `${text.slice(0, start)}${marker(said, `from_line ${String(countLines(text, 0, start) + 1)}`, clipping)}\n${text.slice(end)}`;
  }
  const [from, to] = [wholeAt(text, Math.floor(most / 2)), wholeAt(text, text.length - Math.floor(most / 4))];
  const said = `${String(to - from)} of ${String(text.length)} characters are left out`;
  return `${text.slice(0, from)}\n${marker(said, `from_character ${String(from + 1)}`, clipping)}\n${text.slice(to)}`;
}

function marker(said: string, whence: string, { callId, isReadable }: Clipping): string {
  if (!isReadable) return `[... ${said}; to see them, ask for less at a time ...]`;
  return `[... ${said}; to read them, call ${readerName} with call "${shortId(callId)}" and ${whence} ...]`;
}

/** Where the line with this number, from 1, ends, its newline included; 0 where the text has no more lines than that. */
function endOfLine(text: string, line: number): number {
  let at = -1;
  for (let number = 0; number < line; number += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return 0;
  }
  return at + 1;
}

/** Where the last so many lines begin; a newline at the end closes the last line and begins none. */
function startOfLine(text: string, count: number): number {
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let number = 0; number < count; number += 1) {
    at = text.lastIndexOf("\n", at - 1);
    if (at <= 0) return 0;
  }
  return at + 1;
}

/** How many lines there are between two places. */
export function countLines(text: string, from: number, to: number): number {
  let count = 0;
  let at = from;
  while (at < to) {
    const next = text.indexOf("\n", at);
    count += 1;
    if (next < 0) break;
    at = next + 1;
  }
  return count;
}

/** The place, or the one before it where it would split a character in two. */
export function wholeAt(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return place > 0 && code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}
