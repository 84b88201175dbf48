// The frames of a response: the data of its events, or its one body.

import { LastcallError } from "../../core/index.js";
import { body } from "./body.js";
import { sseData } from "./sse.js";

/** Stands for the end of a response that was seen to end as it should. */
export const end: unique symbol = Symbol("end");

/**
 * Reads the frames of a response from `address`, as many at a time as came; `end` comes last where the stream's end was marked, or where
 * it was none.
 * @throws LastcallError `provider_unavailable` for what is not JSON, and after `idle` milliseconds without a byte.
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
  for await (const brought of sseData(bytes)) {
    const last = brought.findIndex((data) => data.trim() === "[DONE]");
    yield parsed(last < 0 ? brought : brought.slice(0, last), address);
    if (last < 0) continue;
    yield [end];
    return;
  }
}

/** One at a time: what stands before a broken frame counts, however the bytes came. */
function* parsed(brought: readonly string[], address: string): Generator<unknown, void, void> {
  for (const data of brought) yield parse(data, address);
}

function parse(data: string, address: string): unknown {
  try {
    return JSON.parse(data);
  } catch (thrown) {
    const message = `The provider at ${address} sent something that is not JSON: ${JSON.stringify(data.slice(0, 80))}.`;
    throw new LastcallError("provider_unavailable", message, { cause: thrown });
  }
}
