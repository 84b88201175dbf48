// The frames of a response: the data of its events, or its one body.

import { LastcallError } from "../core/index.js";
import { body } from "./body.js";
import { sseData } from "./sse.js";

/** Stands for the end of a response that was seen to end as it should. */
export const end: unique symbol = Symbol("end");

/**
 * Reads the frames of a response from `address`; `end` comes last where the stream's end was marked, or where it was none.
 * @throws LastcallError `provider_unavailable` for what is not JSON, and after `idle` milliseconds without a byte.
 */
export async function* frames(
  response: Response,
  signal: AbortSignal,
  { address, idle }: { readonly address: string; readonly idle: number },
): AsyncGenerator<unknown, void, void> {
  const bytes = body(response, signal, idle);
  if (response.headers.get("content-type")?.includes("text/event-stream") !== true) {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    yield parse(Buffer.concat(pieces).toString(), address);
    yield end;
    return;
  }
  for await (const data of sseData(bytes)) {
    if (data.trim() === "[DONE]") {
      yield end;
      return;
    }
    yield parse(data, address);
  }
}

function parse(data: string, address: string): unknown {
  try {
    return JSON.parse(data);
  } catch (thrown) {
    const message = `The provider at ${address} sent something that is not JSON: ${JSON.stringify(data.slice(0, 80))}.`;
    throw new LastcallError("provider_unavailable", message, { cause: thrown });
  }
}
