// Sends requests with the client of the openai package, which is loaded at the first request.

import type OpenAI from "openai";
import type { APIError } from "openai";
import { LastcallError } from "../../core/index.js";
import { errorIn } from "./error-body.js";

/**
 * Sends one request and returns the response once its headers arrive. If the server closes a connection that it answered on before, the
 * fault asks for a new attempt at once (`retryAfterMs` is 0).
 */
export type Post = (path: string, body: string, signal: AbortSignal) => Promise<Response>;

/** The server that requests go to. */
export interface Receiver {
  readonly baseURL: string;
  readonly apiKey: string;
  /** More headers for each request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until a response must begin. */
  readonly timeout: number;
}

/**
 * Makes a function that posts requests.
 * @throws LastcallError `configuration` for a header that can't be sent.
 */
export function client({ baseURL, apiKey, headers, timeout }: Receiver): Post {
  let connecting: Promise<OpenAI> | undefined;
  checkHeaders(headers);

  async function connect(): Promise<OpenAI> {
    const { default: Client } = await import("openai");
    /** The package reads the body of an error only under the key `error`. */
    class AnyErrorClient extends Client {
      protected override makeStatusError(status: number, json: unknown, text: string, headers: Headers): APIError {
        const body = json ?? text;
        const error = body === "" ? undefined : errorIn(body);
        return super.makeStatusError(status, { error }, undefined, headers);
      }
    }
    const identity = { organization: null, project: null };
    return new AnyErrorClient({ baseURL, apiKey, ...identity, defaultHeaders: headers, maxRetries: 0 });
  }

  /** True if the last request got an answer. */
  let hasAnswered = false;
  return async (path, body, signal) => {
    connecting ??= connect();
    const connected = await connecting;
    // A string body is sent unchanged; the package's own methods would serialize the whole history again.
    const options = { body, headers: { "content-type": "application/json" }, stream: true, signal, timeout };
    try {
      const response = await connected.post(path, options).asResponse();
      hasAnswered = true;
      return response;
    } catch (thrown) {
      if (!hasAnswered || !isClosedConnection(thrown)) throw thrown;
      // The server was there a moment ago: most likely it closed the idle connection just as the request was sent.
      hasAnswered = false;
      const message = `The provider at ${baseURL} closed the connection before its answer began.`;
      throw new LastcallError("provider_unavailable", message, { cause: thrown, retryAfterMs: 0 });
    }
  };
}

/** True if the connection was closed before an answer began. */
function isClosedConnection(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as Error & { readonly code?: unknown };
    if (code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE") return true;
  }
  return false;
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      const message = `The header ${JSON.stringify(name)} can't be sent: its name or its value has a character that HTTP does not allow.`;
      // The cause would repeat the value, which may be a key.
      throw new LastcallError("configuration", message);
    }
  }
}
