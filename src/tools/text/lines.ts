// Lines: some lines of a text that comes in chunks, within a bound of bytes, whatever the size of the whole.

import { wholeLength } from "../../shell/index.js";

const newline = 10;

/** Which lines to take. */
export interface LineRange {
  /** The first line, counted from 1. */
  readonly from: number;
  /** At most so many. */
  readonly count: number;
  /** At most so many bytes. */
  readonly bytes: number;
}

/** The lines that were taken. */
export interface Excerpt {
  readonly bytes: Buffer;
  /** The number of the last line in it, or of the file's last line where that comes before the first one asked for. */
  readonly last: number;
  /** `lines`: there are more. `line`: the first alone is more than the bytes allow. `nothing`: that was the end. */
  readonly left: "lines" | "line" | "nothing";
}

/** Takes the lines of the range. What comes after them is not read; only whole lines are taken, if there is one. */
export async function takeLines(
  chunks: AsyncIterable<Uint8Array>,
  { from, count, bytes }: LineRange,
): Promise<Excerpt> {
  const taken: Uint8Array[] = [];
  let size = 0;
  /** The line that the next byte belongs to, whether it has begun, and the size before it. */
  let line = 1;
  let isOpen = false;
  let before = 0;
  const excerpt = (left: Excerpt["left"], upTo: number, last: number): Excerpt => ({
    bytes: Buffer.concat(taken).subarray(0, upTo),
    last,
    left,
  });
  for await (const chunk of chunks) {
    for (const piece of pieces(chunk)) {
      if (line >= from + count) return excerpt("lines", size, line - 1);
      if (line >= from) {
        taken.push(piece);
        size += piece.length;
        if (size > bytes && line > from) return excerpt("lines", before, line - 1);
        if (size > bytes) return excerpt("line", wholeLength(Buffer.concat(taken).subarray(0, bytes)), line);
      }
      isOpen = piece.at(-1) !== newline;
      if (isOpen) continue;
      line += 1;
      before = size;
    }
  }
  return excerpt("nothing", size, isOpen ? line : line - 1);
}

/** The chunk cut after each newline. */
function* pieces(chunk: Uint8Array): Generator<Uint8Array, void, void> {
  for (let start = 0; start < chunk.length;) {
    const end = chunk.indexOf(newline, start);
    const next = end < 0 ? chunk.length : end + 1;
    yield chunk.subarray(start, next);
    start = next;
  }
}
