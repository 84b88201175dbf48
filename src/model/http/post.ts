// Posts requests: an answer that refuses one is an error, and so is a connection that closed before its answer.

import { LastcallError } from "../../core/index.js";
import { Body, type Patience } from "../transport/body.js";
import type { HttpAnswer } from "../transport/http-answer.js";
import type { RequestBody } from "../data/request-body.js";
import type { Sender } from "./sender.js";

/**
 * Sends one request and returns the answer once its head arrives. If the server closes a connection that it answered on before, the
 * fault asks for a new attempt at once (`retryAfterMs` is 0).
 */
export type Post = (path: string, body: RequestBody, signal: AbortSignal) => Promise<HttpAnswer>;

/** Makes a function that posts requests to the server at `address`, which may be silent for `timeout` milliseconds. */
export function posting(sender: Sender, address: string, timeout: number): Post {
  /** True if the last request got an answer. */
  let hasAnswered = false;

  async function send(path: string, body: RequestBody, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      const answer = await sender.send(path, body, signal);
      hasAnswered = true;
      return answer;
    } catch (thrown) {
      if (!hasAnswered || !isClosedConnection(thrown)) throw thrown;
      // The server was there a moment ago: most likely it closed the idle connection just as the request was sent.
      hasAnswered = false;
      const message = `The provider at ${address} closed the connection before its answer began.`;
      throw new LastcallError("provider_unavailable", message, { cause: thrown, retryAfterMs: 0 });
    }
  }

  return async (path, body, signal) => {
    const answer = await send(path, body, signal);
    if (answer.status < 400) return answer;
    const text = await textOf(answer, { idle: timeout, waited: 0 });
    throw await sender.refusal(answer.status, text, answer.headers);
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
