// Reads a long log: parses its lines while the rest is read, and while another thread verifies their checksums.

import { isAscii, isUtf8 } from "node:buffer";
import type { JournalRecord } from "../../core/index.js";
import { startChain } from "./chain.js";
import { readHeader, tailLength, type LogPlace, type ReadLog } from "./record-lines.js";
import type { LogBytes } from "../store/store.js";

/** The number of bytes that are decoded at once. A text of this length is where new objects are, so its memory is used again. */
const decoded = 64 * 1024;
const lineFeed = 10;

/**
 * Reads a log that is valid from its first line to its last. Undefined if a line is in doubt, for whatever reason: `readLog` says what is
 * wrong with it. Returns after all checksums are verified, so nothing follows from a line that is not.
 * @throws LastcallError `store` if the log can't be read, is another session's, or of another version.
 */
export async function readLong({ memory, ends }: LogBytes, place: LogPlace): Promise<ReadLog | undefined> {
  const chain = startChain(memory);
  if (chain === undefined) return undefined;
  try {
    const bytes = Buffer.from(memory);
    const values: unknown[] = [];
    let start = 0;
    let last = 0;
    for await (const end of ends) {
      last = end;
      const whole = bytes.subarray(0, end).lastIndexOf(lineFeed) + 1;
      chain.verify(whole);
      if (!parseInto(values, bytes, start, whole)) return undefined;
      start = whole;
    }
    if (start < last) return undefined;
    const verified = await chain.end();
    const [first, ...records] = values;
    if (first === undefined || verified?.lines !== values.length) return undefined;
    const header = readHeader(first, place);
    return { header, records: records as JournalRecord[], lines: verified.lines, sum: verified.sum };
  } finally {
    chain.stop();
  }
}

/** Parses these lines and adds them to the values. Returns false if a line is no record in its place. */
function parseInto(values: unknown[], bytes: Buffer, from: number, to: number): boolean {
  try {
    for (let start = from; start < to;) {
      const end = endOfPiece(bytes, start, to);
      const text = textOf(bytes.subarray(start, end));
      if (text === undefined) return false;
      for (let line = 0; line < text.length;) {
        const feed = text.indexOf("\n", line);
        if (feed - line < tailLength) return false;
        const value = JSON.parse(text.slice(line, feed)) as Partial<JournalRecord> & { sum?: string };
        // The checksum is the last field of each line, and of no record.
        delete value.sum;
        if (values.length > 0 && value.seq !== values.length - 1) return false;
        values.push(value);
        line = feed + 1;
      }
      start = end;
    }
    return true;
  } catch {
    // The line is no JSON. `readLog` says so.
    return false;
  }
}

/** The end of the whole lines in a piece. A line that is longer than a piece is one alone. */
function endOfPiece(bytes: Buffer, start: number, to: number): number {
  if (start + decoded >= to) return to;
  const last = bytes.lastIndexOf(lineFeed, start + decoded - 1);
  return (last >= start ? last : bytes.indexOf(lineFeed, start + decoded)) + 1;
}

/** The text of these bytes; undefined if they are no UTF-8. Text of one byte for each character is decoded several times as fast. */
function textOf(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString("latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}
