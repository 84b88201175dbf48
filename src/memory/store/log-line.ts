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

/** The number of lines that are written at once if a whole log is copied. A text of all of them may be too long for a string. */
const portion = 1000;

/** Appends the lines of a whole log, and flushes them. */
export async function appendAll(lock: Pick<Lock, "append">, lines: readonly string[]): Promise<void> {
  for (let index = 0; index < lines.length; index += portion) {
    await lock.append(lines.slice(index, index + portion), index + portion >= lines.length);
  }
}

/** The lines in these bytes, from this number on. Text after the last line feed counts as a line too. */
export function linesIn(bytes: Buffer, from = 0): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  for (let number = 0; start < bytes.length; number += 1) {
    const feed = bytes.indexOf(10, start);
    const end = feed < 0 ? bytes.length : feed;
    if (number >= from) lines.push(bytes.toString("utf8", start, end));
    start = end + 1;
  }
  return lines;
}
