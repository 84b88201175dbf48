// Takes some lines from a text that comes in chunks, up to a limit of bytes, however large the whole is.

import { wholeLength } from "../../shell/index.js";

const newline = 10;

/** The lines to take. */
export interface LineRange {
  /** The first line, counted from 1. */
  readonly from: number;
  /** The limit of lines. */
  readonly count: number;
  /** The limit of bytes. */
  readonly bytes: number;
}

/** The lines that were taken. */
export interface Excerpt {
  readonly bytes: Buffer;
  /** The number of the last line taken; or of the file's last line, if the file ends before the first line of the range. */
  readonly last: number;
  /** The rest of the file. `lines`: more lines. `line`: the end of the only line, cut at the limit. `nothing`: no rest. */
  readonly left: "lines" | "line" | "nothing";
}

/**
 * Takes the lines of the range, and reads no further. Lines are taken whole, unless the first line alone exceeds the
 * limit of bytes.
 */
export async function takeLines(
  chunks: AsyncIterable<Uint8Array>,
  { from, count, bytes }: LineRange,
): Promise<Excerpt> {
  const taken: Uint8Array[] = [];
  let size = 0;
  /** The line that the next byte belongs to, whether that line has begun, and the size of the lines before it. */
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

/** Cuts the chunk after each newline. */
function* pieces(chunk: Uint8Array): Generator<Uint8Array, void, void> {
  for (let start = 0; start < chunk.length;) {
    const end = chunk.indexOf(newline, start);
    const next = end < 0 ? chunk.length : end + 1;
    yield chunk.subarray(start, next);
    start = next;
  }
}
