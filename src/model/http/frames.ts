// Reads a response as JSON frames: the data of its server-sent events, or one whole body.

import { LastcallError } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { body, type Patience } from "./body.js";
import { sseEvents, type SseEvent } from "./sse.js";

/** Marks the end of a whole body, which is complete. */
export const bodyEnd: unique symbol = Symbol("body end");

/** Marks the end of a stream that has an end marker. */
export const streamEnd: unique symbol = Symbol("stream end");

/**
 * Reads the frames of a response from `address`, in batches as they arrive. The last frame is `streamEnd` if the stream has an end
 * marker, and `bodyEnd` if the response is not a stream.
 * @throws LastcallError `provider_unavailable` for a frame that is not JSON, and when the patience ends.
 */
export async function* frames(
  response: Response,
  signal: AbortSignal,
  { address, patience }: { readonly address: string; readonly patience: Patience },
): AsyncGenerator<Iterable<unknown>, void, void> {
  const bytes = body(response, signal, patience);
  if (response.headers.get("content-type")?.includes("text/event-stream") !== true) {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    yield [parse(Buffer.concat(pieces).toString(), address), bodyEnd];
    return;
  }
  for await (const batch of sseEvents(bytes)) {
    const endIndex = batch.findIndex(({ data }) => data.trim() === "[DONE]");
    yield parseEach(endIndex < 0 ? batch : batch.slice(0, endIndex), address);
    if (endIndex < 0) continue;
    yield [streamEnd];
    return;
  }
}

/** Parses one frame at a time, so that the frames before a broken one are used even if all came in one chunk. */
function* parseEach(batch: readonly SseEvent[], address: string): Generator<unknown, void, void> {
  for (const { data, isError } of batch) yield isError ? errorFrame(data) : parse(data, address);
}

/** The frame of an event named `error`: it has the error under the key `error`, also if the server sent it without that key. */
function errorFrame(data: string): unknown {
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch {
    return { error: data };
  }
  return isPlainObject(frame) && (Boolean(frame["error"]) || frame["type"] === "error") ? frame : { error: frame };
}

function parse(data: string, address: string): unknown {
  try {
    return JSON.parse(data);
  } catch (thrown) {
    const message = `The provider at ${address} sent something that is not JSON: ${JSON.stringify(data.slice(0, 80))}.`;
    throw new LastcallError("provider_unavailable", message, { cause: thrown });
  }
}
