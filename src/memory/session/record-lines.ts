// Lines: the stored form of records. Each line has a checksum that includes the checksum of the previous line.

import { LastcallError, type JournalRecord, type JsonObject } from "../../core/index.js";
import { explain } from "../../core/internal.js";

/** The content of the first line of a log. */
export interface Header {
  readonly lastcall: "session";
  readonly version: 1;
  readonly id: string;
  /** The session and the record that this session was forked from. */
  readonly from?: string;
  /** Data of the host. */
  readonly about?: JsonObject;
}

/** The content of a log. */
export interface ReadLog {
  readonly header: Header;
  readonly records: readonly JournalRecord[];
  /** The number of valid lines. The rest must be cut. */
  readonly lines: number;
  /** The checksum of the last line. */
  readonly sum: string;
  /** The rest after the valid lines, if there is one: nothing in it was ever acknowledged. */
  readonly dropped?: Dropped;
}

/** A rest that is not read. */
export interface Dropped {
  /** Its length, in characters. */
  readonly characters: number;
  /** What it is, in words that follow the name of the session. */
  readonly what: string;
}

/** The log that is read. */
export interface LogPlace {
  readonly id: string;
  /** The session and its place, for people. */
  readonly where: string;
  /** Whether the last line lacks its end. Undefined if that is not known, because the log may be being written. */
  readonly isTorn: boolean | undefined;
}

/** The types of records that are flushed to the disk before the run goes on: see `Lease`. */
export const flushed: ReadonlySet<string> = new Set([
  "input",
  "steer",
  "parked",
  "approval",
  "question",
  "answer",
  "intent",
  "claim",
  "outcome",
] satisfies JournalRecord["type"][]);

/** The value as the line that follows the line with the checksum `before`, and the line's own checksum. */
export function writeLine(
  value: Header | JournalRecord,
  before: string,
): { readonly line: string; readonly sum: string } {
  const body = JSON.stringify(value);
  const sum = checksum(before, body);
  return { line: `${body.slice(0, -1)},"sum":"${sum}"}`, sum };
}

/** The checksum to use before the first line. */
export const noSum = "";

/** The number of characters of a checksum, and of the end of a line that holds it. */
export const sumLength = 16;
export const tailLength: number = ',"sum":""}'.length + sumLength;
const tail = /,"sum":"[0-9a-f]{16}"\}$/;

/**
 * Reads a log. A rest in which nothing was ever acknowledged is returned as `dropped`: an incomplete last line, blank lines, or lines
 * around a hole that a loss of power left.
 * @throws LastcallError `store` that names the first invalid line, or says that the log is another session's or of another version.
 */
export function readLog(lines: readonly string[], place: LogPlace): ReadLog {
  const { values, sum, problem } = readValid(lines);
  const [first, ...records] = values;
  if (first === undefined) throw notALog(place, problem ?? "it has no first line");
  const header = readHeader(first, place);
  const read = { header, records: records as JournalRecord[], lines: values.length, sum };
  if (problem === undefined) return read;
  const rest = lines.slice(values.length);
  const what = whatIsDropped(rest, place.isTorn ?? !tail.test(rest.at(-1) ?? ""));
  if (what === undefined) throw broken(place, problem);
  return { ...read, dropped: { characters: rest.join("\n").length, what } };
}

/** The valid lines at the start of a log. */
export interface ValidLines {
  /** The header, if there is one, and the records. */
  readonly values: readonly unknown[];
  /** The checksum of the last record. */
  readonly sum: string;
  /** Why the next line is not valid. Undefined if all lines are. */
  readonly problem?: string;
}

/** The place of lines in their log. */
interface Place {
  /** The number of lines before them. */
  readonly from: number;
  /** The checksum of the line before them. */
  readonly sum: string;
}

/** Reads lines up to the first that is not valid. Default: they are the beginning of the log. */
export function readValid(lines: readonly string[], place: Place = { from: 0, sum: noSum }): ValidLines {
  const { from } = place;
  const values: unknown[] = [];
  let { sum } = place;
  for (const [offset, line] of lines.entries()) {
    const index = from + offset;
    const read = readLine(line, sum);
    const at = `line ${String(index + 1)} of ${String(from + lines.length)}`;
    if ("problem" in read) return { values, sum, problem: `${at} ${read.problem}` };
    const isInPlace = index === 0 || (read.value as JournalRecord).seq === index - 1;
    if (!isInPlace) return { values, sum, problem: `record ${String(index - 1)} is missing or out of place` };
    values.push(read.value);
    ({ sum } = read);
  }
  return { values, sum };
}

/** What a rest is, if nothing in it was ever acknowledged. Undefined if something may have been: then the log is damaged. */
function whatIsDropped(rest: readonly string[], isTorn: boolean): string | undefined {
  if (rest.every((line) => line.trim() === "")) return "had blank lines at its end";
  if (isTorn && rest.length === 1) return "had a last line that was not written whole";
  return isUnflushed(isTorn ? rest.slice(0, -1) : rest) ? "had lines that a loss of power left unfinished" : undefined;
}

/**
 * True if a loss of power explains these lines. It may leave a hole of NULs, and lines after it, but only where nothing was flushed yet:
 * a flushed record after a hole proves that the hole is damage. Lines after the hole must fit each other.
 */
function isUnflushed(rest: readonly string[]): boolean {
  return rest.every((line, index) => {
    const type = typeOf(line);
    if (type !== undefined && flushed.has(type)) return false;
    if (line.includes("\0")) return true;
    const before = sumOf(rest[index - 1] ?? "");
    return index > 0 && type !== undefined && (before === undefined || "value" in readLine(line, before));
  });
}

/** The type of the record that a line begins with, also if the rest of the line is damaged. */
export function typeOf(line: string): string | undefined {
  return /^\{"type":"([a-z-]+)"/.exec(line)?.[1];
}

/** The checksum that a line says it has. */
export function sumOf(line: string): string | undefined {
  const end = line.slice(-tailLength);
  return tail.test(end) ? end.slice(-sumLength - 2, -2) : undefined;
}

type ReadLine = { readonly value: unknown; readonly sum: string } | { readonly problem: string };

function readLine(line: string, before: string): ReadLine {
  const sum = sumOf(line);
  if (sum === undefined) return { problem: "has no checksum" };
  const body = `${line.slice(0, -tailLength)}}`;
  if (checksum(before, body) !== sum) return { problem: "does not have its checksum" };
  try {
    return { value: JSON.parse(body) as unknown, sum };
  } catch (thrown) {
    return { problem: `is no JSON (${explain(thrown)})` };
  }
}

/**
 * Reads the first value of a log as its header.
 * @throws LastcallError `store` if it is none, or is of another version or another session.
 */
export function readHeader(value: unknown, place: LogPlace): Header {
  const { id, where } = place;
  const header = value as Partial<Header>;
  if (header.lastcall !== "session" || typeof header.id !== "string")
    throw notALog(place, "its first line is no header");
  if ((header.version as unknown) !== 1) {
    const message = `${where} has version ${String(header.version)}; this lastcall reads version 1. Use the one that wrote it.`;
    throw new LastcallError("store", message);
  }
  if (header.id !== id) {
    const message = `${where} holds another session, ${header.id}: it was copied or renamed. Nothing was changed. Put it back under that id; to copy a session, fork it.`;
    throw new LastcallError("store", message);
  }
  return header as Header;
}

/** True if the line is the beginning of a header of this session: a process was killed during its first write. */
export function isTornHeader(line: string, id: string): boolean {
  const begin = JSON.stringify({ lastcall: "session", version: 1, id }).slice(0, -1);
  return line.startsWith(begin) || begin.startsWith(line);
}

/** `node:crypto` is loaded on first use: it loads slower than all of lastcall, and most programs store no session. */
function checksum(before: string, body: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", `${before}${body}`, "hex").slice(0, sumLength);
}

function broken({ where, id }: LogPlace, what: string): LastcallError {
  const message = `${where} is damaged: ${what}. Nothing was changed. Restore it from a copy, fork it before that place, or see what a repair would drop: lastcall repair ${inShell(id)}`;
  return new LastcallError("store", message);
}

function notALog({ where }: LogPlace, what: string): LastcallError {
  const message = `${where} is no log of a session: ${what}. Nothing was changed. Restore it from a copy; to begin the session anew, move it away.`;
  return new LastcallError("store", message);
}

/** The id as one word of a shell. */
function inShell(id: string): string {
  return /^[\w.@:+-]+$/.test(id) ? id : `'${id.replaceAll("'", "'\\''")}'`;
}
