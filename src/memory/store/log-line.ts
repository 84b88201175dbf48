// Lines of a log: checks that a text can be one line, and splits the bytes of a file into lines.

import { LastcallError } from "../../core/index.js";

/**
 * Returns the line unchanged.
 * @throws LastcallError `store` if it contains a line feed or a NUL, which not every store could give back.
 */
export function checkLine(line: string): string {
  if (!/[\n\0]/.test(line)) return line;
  throw new LastcallError("store", "A line with a line feed or a NUL in it can't be kept. Write it as JSON.");
}

/** The lines in these bytes. Text after the last line feed counts as a line too. */
export function linesIn(bytes: Buffer): readonly string[] {
  const lines: string[] = [];
  let from = 0;
  while (from < bytes.length) {
    const feed = bytes.indexOf(10, from);
    const end = feed < 0 ? bytes.length : feed;
    lines.push(bytes.toString("utf8", from, end));
    from = end + 1;
  }
  return lines;
}
