// The answer to an HTTP request: its head at once, and its bytes as they arrive.

import { LastcallError } from "../../core/index.js";
import type { RequestBody } from "../data/request-body.js";
import type { AnswerHeaders } from "./ports.js";

/** The bytes of a body as they arrive. At most one read is open at a time. */
export interface ByteSource {
  /**
   * The next bytes; undefined at the end of the body.
   * @throws the error of the connection, or the reason of the stop.
   */
  read(): Promise<Uint8Array | undefined>;
  /** Closes the connection. An open read is rejected with the reason. Does nothing after the end. */
  stop(reason: unknown): void;
}

/** The answer to a request. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly source: ByteSource;
}

/** A request. Its method is POST. */
export interface HttpRequest {
  readonly url: URL;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: RequestBody;
  /** Milliseconds until the head of the answer must have arrived. */
  readonly timeout: number;
}

/**
 * Sends a request. Returns once the head of the answer has arrived.
 * @throws the reason of the signal when it aborts, before the head or while the body is read; the error of the connection; LastcallError
 * `provider_unavailable` if no head arrives in time.
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer>;

/** The fault of a server that sent nothing for this many milliseconds. */
export function silent(idle: number): LastcallError {
  return new LastcallError("provider_unavailable", `The provider sent nothing for ${String(idle / 1000)} s.`);
}
