// Lines of a log: what may be one, and how they are found in the bytes of a file.

import { LastcallError } from "../../core/index.js";

/**
 * The line, as it is.
 * @throws LastcallError `store` for one with a line feed or a NUL in it, which not every store could give back.
 */
export function checkLine(line: string): string {
  if (!/[\n\0]/.test(line)) return line;
  throw new LastcallError("store", "A line with a line feed or a NUL in it can't be kept. Write it as JSON.");
}

/** The lines in these bytes; what follows the last line feed is a line too. */
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
