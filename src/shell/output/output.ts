// The output of a command: both ends within limits, and pieces for watchers.

import { firstWhole, wholeLength } from "./characters.js";

/** The beginning and the end of the added bytes. Memory is bounded, however much is added. */
export interface Ends {
  add(chunk: Uint8Array): void;
  /** The whole text, or both ends with a line between them that says how much is left out. */
  text(): string;
}

/** Keeps the first `size` bytes and the last `size` bytes. */
export function keepEnds(size: number): Ends {
  const head: Uint8Array[] = [];
  let room = size;
  const tail: Uint8Array[] = [];
  let tailSize = 0;
  let total = 0;
  return {
    add(chunk) {
      total += chunk.length;
      const first = chunk.subarray(0, room);
      const rest = chunk.subarray(first.length);
      room -= first.length;
      if (first.length > 0) head.push(first);
      if (rest.length > 0) tail.push(rest);
      tailSize += rest.length;
      for (let oldest = tail[0]; oldest && tailSize - oldest.length >= size; oldest = tail[0]) {
        tailSize -= oldest.length;
        tail.shift();
      }
    },
    text() {
      const start = Buffer.concat(head);
      const end = Buffer.concat(tail).subarray(-size);
      if (start.length + end.length === total) return Buffer.concat([start, end]).toString();
      const shownStart = start.subarray(0, wholeLength(start));
      const shownEnd = end.subarray(firstWhole(end));
      const leftOut = total - shownStart.length - shownEnd.length;
      return `${shownStart.toString()}\n[... ${String(leftOut)} bytes left out ...]\n${shownEnd.toString()}`;
    },
  };
}

/** Passes texts from an event to a generator. */
export interface Pieces {
  add(text: string): void;
  /** Says that no more will come. */
  close(): void;
  /** Yields the text since the last piece, joined, until it is closed. To be read once. */
  read(): AsyncGenerator<string, void, void>;
}

/**
 * The command never waits for the reader: if more than `maxCharacters` characters would be waiting, later characters are
 * counted and not shown.
 */
export function collectPieces(maxCharacters: number): Pieces {
  let waiting = "";
  let missed = 0;
  let isClosed = false;
  let wake = (): void => undefined;
  const take = (): string => {
    const text = missed === 0 ? waiting : `${waiting}\n[... ${String(missed)} characters not shown ...]\n`;
    waiting = "";
    missed = 0;
    return text;
  };
  return {
    add(text) {
      const isFull = waiting.length + text.length > maxCharacters;
      if (isFull || missed > 0) missed += text.length;
      else waiting += text;
      wake();
    },
    close() {
      isClosed = true;
      wake();
    },
    async *read() {
      for (;;) {
        if (waiting !== "" || missed > 0) yield take();
        else if (isClosed) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
