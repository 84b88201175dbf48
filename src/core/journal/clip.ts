// Clipping: shortens a long result for the prompt, and tells the model how to read the rest.

import { LastcallError } from "../data/fault.js";
import { wholeAt } from "../text/cut.js";

/** The name of the tool that reads the parts that were left out. An agent need not have it. */
export const readerName = "read_result";

/** The number of lines shown of the start and of the end, for each 8000 characters of the limit. */
const lines = { start: 40, end: 20, per: 8000 };

/** The options of `clip`. */
export interface Clipping {
  /** The maximum number of characters of the text that are shown. */
  readonly most: number;
  /** The id of the call that the text is the result of. */
  readonly callId: string;
  /** True if the agent has the tool that reads the rest. */
  readonly isReadable: boolean;
}

/**
 * Checks the option and returns the limit in characters; undefined for no limit.
 * @throws LastcallError `configuration` for less than 200 characters, the length of a marker alone.
 */
export function clipBound(clip: number | false): number | undefined {
  if (clip === false) return undefined;
  if (Number.isInteger(clip) && clip >= 200) return clip;
  throw new LastcallError(
    "configuration",
    `clip is ${String(clip)}: give a whole number of at least 200 characters, or false for no bound.`,
  );
}

/** The part of a call's id behind its session and the life that its run began in. */
export function idInRun(callId: string): string {
  return callId.split("/").slice(-2).join("/");
}

/** A call's id in the short form that the model writes: without the session, which all calls share, and without its lives. */
export function shortId(callId: string): string {
  return idInRun(callId).replace(/(call:\d+:\d+):[^:]+$/, "$1");
}

/**
 * Clips the text to its first and last lines. If the lines are long, clips it to the first half and the last quarter of the allowed
 * characters. Undefined if the text fits the limit.
 */
export function clip(text: string, clipping: Clipping): string | undefined {
  const { most: maxCharacters } = clipping;
  if (text.length <= maxCharacters) return undefined;
  const scale = maxCharacters / lines.per;
  const start = endOfLine(text, Math.max(1, Math.round(lines.start * scale)));
  const end = startOfLine(text, Math.max(1, Math.round(lines.end * scale)));
  if (start > 0 && start < end && start + text.length - end <= maxCharacters) {
    const omitted = countLines(text, start, end);
    const note = `${String(omitted)} of ${String(countLines(text, 0, text.length))} lines are left out`;
    return `${text.slice(0, start)}${marker(note, `from_line ${String(countLines(text, 0, start) + 1)}`, clipping)}\n${text.slice(end)}`;
  }
  const [from, to] = [
    wholeAt(text, Math.floor(maxCharacters / 2)),
    wholeAt(text, text.length - Math.floor(maxCharacters / 4)),
  ];
  const note = `${String(to - from)} of ${String(text.length)} characters are left out`;
  return `${text.slice(0, from)}\n${marker(note, `from_character ${String(from + 1)}`, clipping)}\n${text.slice(to)}`;
}

function marker(omission: string, start: string, { callId, isReadable }: Clipping): string {
  if (!isReadable) return `[... ${omission}; to see them, ask for less at a time ...]`;
  return `[... ${omission}; to read them, call ${readerName} with call "${shortId(callId)}" and ${start} ...]`;
}

/** The index after the line with this number, from 1, and after its newline. 0 if that line has no newline or does not exist. */
function endOfLine(text: string, line: number): number {
  let at = -1;
  for (let number = 0; number < line; number += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return 0;
  }
  return at + 1;
}

/** The index where the last `count` lines begin. A newline at the end of the text ends the last line and begins no other line. */
function startOfLine(text: string, count: number): number {
  let at = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let number = 0; number < count; number += 1) {
    at = text.lastIndexOf("\n", at - 1);
    if (at <= 0) return 0;
  }
  return at + 1;
}

/** The number of lines between two indexes. */
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
