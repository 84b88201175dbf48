// Sends requests over a dispatcher, with their bytes as they are.

import { byteLength } from "../data/request-body.js";
import { decompressed } from "./decompress.js";
import { Exchange } from "./exchange.js";
import type { HttpAnswer, HttpRequest, Transport } from "./http-answer.js";
import type { Dispatcher } from "./ports.js";

/** The largest body that is copied into one piece. A longer body is sent in its parts: the copy would cost more than a second write. */
const maxCopied = 64 * 1024;

/** Makes a transport over the dispatcher of an address. It reads compressed bodies, and follows no redirect. */
export function overDispatcher(dispatcherOf: (url: URL) => Dispatcher): Transport {
  return async (request, signal) => decompressed(await exchange(dispatcherOf(request.url), request, signal));
}

function exchange(
  dispatcher: Dispatcher,
  { url, headers, body, timeout }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const handler = new Exchange(signal, timeout);
  const head = handler.head();
  if (signal.aborted) return head;
  const length = byteLength(body);
  dispatcher.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method: "POST",
      headers: { ...headers, "content-length": String(length) },
      body: length > maxCopied ? (body as unknown as Uint8Array) : Buffer.concat(body, length),
      headersTimeout: 0,
      bodyTimeout: 0,
    },
    handler,
  );
  return head;
}
