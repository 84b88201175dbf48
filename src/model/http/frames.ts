// Reads a response as JSON frames: the data of its server-sent events, or one whole body.

import { LastcallError } from "../../core/index.js";
import { body } from "./body.js";
import { sseData } from "./sse.js";

/** Marks the end of a response that is known to be complete. */
export const end: unique symbol = Symbol("end");

/**
 * Reads the frames of a response from `address`, in batches as they arrive. `end` is the last frame if the stream has an end
 * marker, or if the response is not a stream.
 * @throws LastcallError `provider_unavailable` for a frame that is not JSON, and after `idle` milliseconds without a byte.
 */
export async function* frames(
  response: Response,
  signal: AbortSignal,
  { address, idle }: { readonly address: string; readonly idle: number },
): AsyncGenerator<Iterable<unknown>, void, void> {
  const bytes = body(response, signal, idle);
  if (response.headers.get("content-type")?.includes("text/event-stream") !== true) {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    yield [parse(Buffer.concat(pieces).toString(), address), end];
    return;
  }
  for await (const batch of sseData(bytes)) {
    const endIndex = batch.findIndex((data) => data.trim() === "[DONE]");
    yield parseEach(endIndex < 0 ? batch : batch.slice(0, endIndex), address);
    if (endIndex < 0) continue;
    yield [end];
    return;
  }
}

/** Parses one frame at a time, so that the frames before a broken one are used even if all came in one chunk. */
function* parseEach(batch: readonly string[], address: string): Generator<unknown, void, void> {
  for (const data of batch) yield parse(data, address);
}

function parse(data: string, address: string): unknown {
  try {
    return JSON.parse(data);
  } catch (thrown) {
    const message = `The provider at ${address} sent something that is not JSON: ${JSON.stringify(data.slice(0, 80))}.`;
    throw new LastcallError("provider_unavailable", message, { cause: thrown });
  }
}
