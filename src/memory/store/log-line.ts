// Lines of a log: checks that a text can be one line, copies all lines of a log, and splits the bytes of a file into lines.

import { LastcallError } from "../../core/index.js";
import type { Lock } from "./store.js";

/**
 * Returns the line unchanged.
 * @throws LastcallError `store` if it contains a line feed or a NUL, which not every store could give back.
 */
export function checkLine(line: string): string {
  if (!line.includes("\n") && !line.includes("\0")) return line;
  throw new LastcallError("store", "A line with a line feed or a NUL in it can't be kept. Write it as JSON.");
}

/** The number of lines that are written at once if a whole log is copied. A text of all lines may be too long for a string. */
const portion = 1000;

/** Appends the lines of a whole log, and flushes them. */
export async function appendAll(lock: Pick<Lock, "append">, lines: readonly string[]): Promise<void> {
  for (let index = 0; index < lines.length; index += portion) {
    await lock.append(lines.slice(index, index + portion), index + portion >= lines.length);
  }
}

/** The number of bytes that are decoded at once. A string may have half a gigabyte. */
const decoded = 64 * 1024 * 1024;

/** The lines in these bytes, from this number on. Text after the last line feed counts as a line too. */
export function linesIn(bytes: Buffer, from = 0): readonly string[] {
  let start = 0;
  for (let number = 0; number < from && start < bytes.length; number += 1) start = afterLine(bytes, start);
  const lines: string[] = [];
  while (start < bytes.length) {
    // The lines of one piece share its text, so that they are no copies.
    const end = endOfPiece(bytes, start);
    for (const line of bytes.toString("utf8", start, end).split("\n")) lines.push(line);
    // The text after a line feed at the end is the next piece, or nothing.
    if (bytes[end - 1] === lineFeed) lines.pop();
    start = end;
  }
  return lines;
}

const lineFeed = 10;

/** The end of the whole lines of a piece. A line that is longer than a piece is one alone. */
function endOfPiece(bytes: Buffer, start: number): number {
  if (start + decoded >= bytes.length) return bytes.length;
  const last = bytes.lastIndexOf(lineFeed, start + decoded - 1);
  return last >= start ? last + 1 : afterLine(bytes, start + decoded);
}

function afterLine(bytes: Buffer, start: number): number {
  const feed = bytes.indexOf(lineFeed, start);
  return feed < 0 ? bytes.length : feed + 1;
}
