// Bounded fetch: the fetch function for servers over HTTP, whose answers are read up to a bound.

import { largestMessage } from "./message-lines.js";

/** Makes a fetch function that fails an answer of more than `most` bytes. In a stream of events the bound is for each event. */
export function boundedFetch(inner: typeof fetch, most: number = largestMessage): typeof fetch {
  return async (input, init) => {
    const answer = await inner(input, init);
    if (answer.body === null) return answer;
    const isEvents = answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = answer.body.pipeThrough(counting(most, isEvents));
    const { status, statusText, headers } = answer;
    const bounded = new Response(body, { status, statusText, headers });
    Object.defineProperty(bounded, "url", { value: answer.url });
    return bounded;
  };
}

function counting(most: number, isEvents: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let isAfterNewline = false;
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length;
      if (isEvents) {
        const end = endOfEvent(piece, isAfterNewline);
        if (end >= 0) bytes = piece.length - end;
        isAfterNewline = piece.at(-1) === 10;
      }
      if (bytes > most) {
        const message = `The answer has more than ${most.toLocaleString("en-US")} bytes; ask for less at a time`;
        controller.error(new Error(message));
      } else controller.enqueue(piece);
    },
  });
}

/** The index after the last empty line in the piece; -1 without one. */
export function endOfEvent(piece: Uint8Array, isAfterNewline: boolean): number {
  for (let at = piece.length - 1; at >= 0; at -= 1) {
    if (piece[at] !== 10) continue;
    const before = piece[at - 1] === 13 ? at - 2 : at - 1;
    if (before < 0 ? isAfterNewline : piece[before] === 10) return at + 1;
  }
  return -1;
}
