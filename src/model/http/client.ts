// Sends requests over undici or the caller's fetch.

import { validateHeaderName, validateHeaderValue } from "node:http";
import { LastcallError } from "../../core/index.js";
import { Body, type Patience } from "../transport/body.js";
import { dispatcherFor } from "../transport/dispatcher.js";
import { overFetch } from "../transport/fetched.js";
import type { HttpAnswer, Transport } from "../transport/http-answer.js";
import type { Dispatcher, Fetch } from "../transport/ports.js";
import { withRedirects } from "../transport/redirect.js";
import { overDispatcher } from "../transport/send.js";
import type { RequestBody } from "../data/request-body.js";
import { refusal } from "./refusal.js";

/** The server that requests go to. */
export interface Receiver {
  readonly baseURL: string;
  readonly apiKey: string;
  /** More headers for each request. They replace the headers of lastcall. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until a response must begin. */
  readonly timeout: number;
}

/**
 * Sends one request and returns the answer once its head arrives. If the server closes a connection that it answered on before, the
 * fault asks for a new attempt at once (`retryAfterMs` is 0).
 */
export type Post = (path: string, body: RequestBody, signal: AbortSignal) => Promise<HttpAnswer>;

/** The way in which requests travel. At most one of both is given. */
export interface Carrier {
  readonly dispatcher: Dispatcher | undefined;
  readonly fetch: Fetch | undefined;
}

/**
 * Makes a function that posts requests.
 * @throws LastcallError `configuration` for a header that can't be sent, and for two carriers.
 */
export function client(receiver: Receiver, carrier: Carrier): Post {
  const { baseURL, timeout } = receiver;
  const carry = withRedirects(transportOf(carrier));
  const headers = headersOf(receiver);
  const root = baseURL.replace(/\/$/, "");
  /** True if the last request got an answer. */
  let hasAnswered = false;

  const urls = new Map<string, URL>();
  const urlOf = (path: string): URL => {
    const url = urls.get(path) ?? new URL(root + path);
    urls.set(path, url);
    return url;
  };

  async function send(path: string, body: RequestBody, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      const answer = await carry({ url: urlOf(path), headers, body, timeout }, signal);
      hasAnswered = true;
      return answer;
    } catch (thrown) {
      if (!hasAnswered || !isClosedConnection(thrown)) throw thrown;
      // The server was there a moment ago: most likely it closed the idle connection just as the request was sent.
      hasAnswered = false;
      const message = `The provider at ${baseURL} closed the connection before its answer began.`;
      throw new LastcallError("provider_unavailable", message, { cause: thrown, retryAfterMs: 0 });
    }
  }

  return async (path, body, signal) => {
    const answer = await send(path, body, signal);
    if (answer.status < 400) return answer;
    const text = await textOf(answer, { idle: timeout, waited: 0 });
    throw await refusal(answer.status, text, answer.headers);
  };
}

function transportOf({ dispatcher, fetch }: Carrier): Transport {
  if (fetch === undefined) return overDispatcher(dispatcher === undefined ? usualDispatchers() : () => dispatcher);
  if (dispatcher === undefined) return overFetch(fetch);
  throw new LastcallError("configuration", "Pass either fetch or dispatcher: a request can travel one way only.");
}

/** Finds the dispatcher of an address once: to read the environment takes longer than the rest of the way to the connection. */
function usualDispatchers(): (url: URL) => Dispatcher {
  const byOrigin = new Map<string, Dispatcher>();
  return (url) => {
    const dispatcher = byOrigin.get(url.origin) ?? dispatcherFor(url, process.env);
    byOrigin.set(url.origin, dispatcher);
    return dispatcher;
  };
}

/** The largest part of an error's text that is read, in bytes. */
const maxErrorBytes = 1024 * 1024;

async function textOf({ source }: HttpAnswer, patience: Patience): Promise<string> {
  const body = new Body(source, patience);
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for (let bytes = await body.read(); bytes !== undefined && length < maxErrorBytes; bytes = await body.read()) {
      pieces.push(bytes);
      length += bytes.length;
    }
  } finally {
    body.leave();
  }
  return Buffer.concat(pieces).toString();
}

/** True if the connection was closed before an answer began. */
function isClosedConnection(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as Error & { readonly code?: unknown };
    if (code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE") return true;
  }
  return false;
}

/** The headers of each request, by their names in lower case. */
function headersOf({ apiKey, headers: more }: Receiver): Readonly<Record<string, string>> {
  const authorization = `Bearer ${apiKey}`;
  const own = {
    authorization,
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "lastcall",
  };
  const headers: Record<string, string> = {};
  for (const [name, value] of [...Object.entries(own), ...Object.entries(more)]) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      const message = `The header ${JSON.stringify(name)} can't be sent: its name or its value has a character that HTTP does not allow.`;
      // The cause would repeat the value, which may be a key.
      throw new LastcallError("configuration", message);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
