// Sends requests that a client of the openai package makes: it knows the address and authorizes, and lastcall sends.

import { explain, unlessLate } from "../../core/internal.js";
import { LastcallError } from "../../core/index.js";
import type { RequestBody } from "../data/request-body.js";
import type { HttpAnswer } from "../transport/http-answer.js";
import type { ClientRequest, Fetch, OpenAIClient } from "../transport/ports.js";
import { transportOf } from "../transport/transport-of.js";
import { isConnectionError } from "./provider-fault.js";
import { refusal, type ErrorMaker } from "./refusal.js";
import type { Sender } from "./sender.js";
import { secrets, secretsIn } from "./without-key.js";

/** The settings of a request as the client makes them for a fetch function: `RequestInit`. */
interface MadeRequest {
  readonly headers: Headers;
  readonly body: unknown;
  readonly [setting: string]: unknown;
}

/** The work of a client on a request that it has made. */
type Preparing = (request: object, of: { readonly url: string; readonly options: ClientRequest }) => Promise<void>;

/** The parts of a client that its types keep for itself and for classes that extend it. Each may be missing. */
interface InnerClient {
  /** Calls a key that is a function, in the major 6. */
  prepareOptions?(options: ClientRequest): Promise<void>;
  prepareRequest?: Preparing;
  /** A cloud that signs requests. */
  readonly _provider?: { prepareRequest?: Preparing } | undefined;
  readonly _workloadIdentityAuth?: { invalidateToken?(): void } | undefined;
  makeStatusError?: ErrorMaker;
  readonly _options?: { readonly workloadIdentity?: { readonly type?: unknown } | undefined } | undefined;
  readonly fetch?: unknown;
  readonly apiKey?: unknown;
  readonly adminAPIKey?: unknown;
}

/** A request, and the way in which it travels. */
interface Made {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody;
  /** The client's own way; undefined for the dispatcher that all models share. */
  readonly fetch: Fetch | undefined;
}

/**
 * Makes a sender of requests that the client makes, one for each attempt: a key that is a function is asked each time. If the client has a
 * fetch function or settings for fetch of its own, such as a proxy, the requests go over them.
 * @param model names the deployment, if the client's address has none.
 * @param timeout the milliseconds until the client must have made a request, and until an answer must have begun.
 * @throws LastcallError `configuration` for a client with a certificate for an identity: its connections take only its own requests.
 */
export function clientSender(client: OpenAIClient, model: string, timeout: number): Sender {
  const inner = client as OpenAIClient & InnerClient;
  if (inner._options?.workloadIdentity?.type === "x509") throw certified();
  const known = secrets();
  const usual = transportOf({});
  const late = (): LastcallError => {
    const message = `The client of the package openai made no request for ${String(timeout / 1000)} s.`;
    return new LastcallError("provider_unavailable", message);
  };

  async function make(path: string, parts: RequestBody): Promise<Made> {
    const headers = { "content-type": "application/json" };
    const options = { method: "post", path, body: Buffer.concat(parts), headers, __metadata: { model } } as const;
    try {
      await inner.prepareOptions?.(options);
      const { url, req } = await client.buildRequest(options);
      const request = req as MadeRequest;
      await inner.prepareRequest?.(request, { url, options });
      await inner._provider?.prepareRequest?.(request, { url, options });
      return madeOf(new URL(url), request, inner.fetch);
    } catch (thrown) {
      // A key that no header can carry has an end of line in it, and the error repeats it.
      const keys = [inner.apiKey, inner.adminAPIKey].filter((key) => typeof key === "string");
      known.add(keys.flatMap((key) => [key, ...key.split(/\s/)]));
      throw unmade(thrown);
    }
  }

  async function send(path: string, body: RequestBody, signal: AbortSignal): Promise<HttpAnswer> {
    const { url, headers, body: written, fetch } = await unlessLate(() => make(path, body), signal, { timeout, late });
    known.add(secretsIn([...Object.entries(headers), ...url.searchParams]));
    const carry = fetch === undefined ? usual : transportOf({ fetch });
    return carry({ url, headers, body: written, timeout }, signal);
  }

  return {
    async send(path, body, signal) {
      const answer = await send(path, body, signal);
      const identity = inner._workloadIdentityAuth;
      if (answer.status !== 401 || identity?.invalidateToken === undefined) return answer;
      // The client keeps its token until it expires, and asks for another one only if the server refuses it before that.
      answer.source.stop(new DOMException("The token was refused.", "AbortError"));
      identity.invalidateToken();
      return send(path, body, signal);
    },
    refusal: (status, text, headers) => refusal(status, text, headers, inner.makeStatusError?.bind(client)),
    clean: known.clean,
  };
}

/** The request as it is sent. */
function madeOf(url: URL, request: MadeRequest, fetch: unknown): Made {
  const { method: _post, headers, body, signal: _none, duplex: _half, redirect: _ours, ...settings } = request;
  const isOwn = fetch !== globalThis.fetch || Object.keys(settings).length > 0;
  return {
    url,
    headers: Object.fromEntries(headers),
    body: [bytesOf(body)],
    fetch: typeof fetch === "function" && isOwn ? fetchOf(fetch as ClientFetch, settings) : undefined,
  };
}

type ClientFetch = (url: string, settings: object) => ReturnType<Fetch>;

/** The client's fetch function with the client's settings. It gets the headers as the package gives them. */
function fetchOf(fetch: ClientFetch, settings: object): Fetch {
  return (url, request) => fetch(url, { ...settings, ...request, headers: new Headers(request.headers) });
}

/** The bytes of a body, which a class that extends the client may have replaced. */
function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (typeof body === "string") return Buffer.from(body);
  throw new LastcallError("configuration", "The client made a request whose body is neither a text nor bytes.");
}

function certified(): LastcallError {
  const message =
    "A client whose identity is an X.509 certificate can't be used: its connections take only requests that it sends itself.";
  return new LastcallError("configuration", message);
}

/** The fault of a client that made no request: nearly always it got no key or token. */
function unmade(thrown: unknown): LastcallError {
  if (thrown instanceof LastcallError) return thrown;
  const message = `The client of the package openai could not make a request: ${explain(thrown)}`;
  return new LastcallError(mayPass(thrown) ? "provider_unavailable" : "authentication", message, { cause: thrown });
}

/** True if the server of a token could not be reached, or had too much to do. */
function mayPass(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { status } = error as Error & { readonly status?: unknown };
    if (typeof status === "number") return status === 408 || status === 429 || status >= 500;
    if (isConnectionError(error)) return true;
  }
  return false;
}
