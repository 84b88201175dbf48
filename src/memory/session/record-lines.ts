// Lines: the stored form of records. Each line has a checksum that includes the checksum of the previous line.

import { LastcallError, type JournalRecord, type JsonObject } from "../../core/index.js";
import { explain } from "../../core/internal.js";

/** The content of the first line of a log. */
export interface Header {
  readonly lastcall: "session";
  readonly version: 1;
  readonly id: string;
  /** The session and the record that this one was forked from. */
  readonly from?: string;
  /** Data of the host. */
  readonly about?: JsonObject;
}

/** The content of a log. */
export interface ReadLog {
  readonly header: Header;
  readonly records: readonly JournalRecord[];
  /** The number of valid lines. A torn line after them must be cut. */
  readonly lines: number;
  /** The checksum of the last line. */
  readonly sum: string;
  /** The length of an incomplete last line, in characters; 0 if the last line is complete. */
  readonly torn: number;
}

/** The value as the line that follows the one with the checksum `before`, and the line's own checksum. */
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

const tail = /,"sum":"([0-9a-f]{16})"\}$/;

/**
 * Reads a log. An incomplete last line is dropped, and its length is returned as `torn`.
 * @throws LastcallError `store` that names the first invalid line, or says that the version is not supported.
 */
export function readLog(lines: readonly string[], where: string): ReadLog {
  const values: unknown[] = [];
  let sum = noSum;
  let torn = 0;
  for (const [index, line] of lines.entries()) {
    const read = readLine(line, sum);
    if ("value" in read) {
      values.push(read.value);
      ({ sum } = read);
    } else if (index === lines.length - 1) {
      torn = line.length;
    } else {
      throw broken(where, `line ${String(index + 1)} of ${String(lines.length)} ${read.problem}`);
    }
  }
  const [first, ...rest] = values;
  if (first === undefined) throw broken(where, "it has no first line");
  const records = rest as JournalRecord[];
  const gap = records.findIndex(({ seq }, index) => seq !== index);
  if (gap >= 0) throw broken(where, `record ${String(gap)} is missing or out of place`);
  return { header: readHeader(first, where), records, lines: values.length, sum, torn };
}

type ReadLine = { readonly value: unknown; readonly sum: string } | { readonly problem: string };

function readLine(line: string, before: string): ReadLine {
  const [ending = "", sum = ""] = tail.exec(line.slice(-30)) ?? [];
  if (sum === "") return { problem: "has no checksum" };
  const body = `${line.slice(0, -ending.length)}}`;
  if (checksum(before, body) !== sum) return { problem: "does not have its checksum" };
  try {
    return { value: JSON.parse(body) as unknown, sum };
  } catch (thrown) {
    return { problem: `is no JSON (${explain(thrown)})` };
  }
}

function readHeader(value: unknown, where: string): Header {
  const header = value as Partial<Header>;
  if (header.lastcall !== "session" || typeof header.id !== "string")
    throw broken(where, "its first line is no header");
  if ((header.version as unknown) !== 1) {
    const message = `${where} has version ${String(header.version)}; this lastcall reads version 1. Use the one that wrote it.`;
    throw new LastcallError("store", message);
  }
  return header as Header;
}

/** `node:crypto` is loaded on first use: it loads slower than all of lastcall, and most programs store no session. */
function checksum(before: string, body: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", `${before}${body}`, "hex").slice(0, 16);
}

function broken(where: string, what: string): LastcallError {
  const message = `${where} is damaged: ${what}. Nothing was changed. Restore it from a copy, or fork it before that place.`;
  return new LastcallError("store", message);
}
