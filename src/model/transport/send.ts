// Sends requests over a dispatcher: with their bytes as they are, and to the place that the server redirects them to.

import { LastcallError } from "../../core/index.js";
import { byteLength } from "../data/request-body.js";
import { decompressed } from "./decompress.js";
import { Exchange } from "./exchange.js";
import type { HttpAnswer, HttpRequest, Transport } from "./http-answer.js";
import type { Dispatcher } from "./ports.js";

/** The largest body that is copied into one piece. A longer one is sent in its parts: the copy would cost more than a second write. */
const maxCopied = 64 * 1024;

/** The largest number of redirects of one request. */
const maxRedirects = 5;

/**
 * Makes a transport over the dispatcher of an address. It follows the redirects 307 and 308 within one host, and reads compressed bodies.
 * The transport throws LastcallError `provider_rejected` for any other redirect.
 */
export function overDispatcher(dispatcherOf: (url: URL) => Dispatcher): Transport {
  return async (request, signal) => {
    let { url } = request;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await exchange(dispatcherOf(url), { ...request, url }, signal);
      if (answer.status < 300 || answer.status >= 400) return decompressed(answer);
      const fault = new LastcallError("provider_rejected", redirected(url, answer, redirects));
      const next = redirects < maxRedirects ? target(url, answer) : undefined;
      answer.source.stop(fault);
      if (next === undefined) throw fault;
      url = next;
    }
  };
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

/** The place that the same request may be sent to again: on the same host, and never from https to http. */
function target(from: URL, { status, headers }: HttpAnswer): URL | undefined {
  const to = place(from, headers.get("location"));
  if ((status !== 307 && status !== 308) || to === undefined) return undefined;
  const isUpgrade = to.protocol === "https:" && to.hostname === from.hostname;
  return to.origin === from.origin || isUpgrade ? to : undefined;
}

function redirected(from: URL, { status, headers }: HttpAnswer, redirects: number): string {
  const to = place(from, headers.get("location"));
  const where = to === undefined ? "nowhere" : to.origin + to.pathname;
  const what = `The provider at ${from.origin} redirects with status ${String(status)} to ${where}`;
  if (redirects >= maxRedirects) return `${what}, after ${String(redirects)} redirects.`;
  return `${what}. The key is not sent there; if the address is right, pass it as the base URL.`;
}

function place(from: URL, location: string | null): URL | undefined {
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}
