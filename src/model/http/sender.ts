// The port for senders: the ways in which a request gets its address, its headers and its connection.

import type { HttpAnswer } from "../transport/http-answer.js";
import type { AnswerHeaders } from "../transport/ports.js";
import type { RequestBody } from "../data/request-body.js";
import type { Cleaner } from "./without-key.js";

/**
 * Sends requests to one server.
 *
 * Contract: a sender repeats no request and reads no answer.
 */
export interface Sender {
  /**
   * Sends a request to a path under the base URL. Returns once the head of the answer has arrived.
   * @throws the errors of a transport; LastcallError if no request can be made.
   */
  send(path: string, body: RequestBody, signal: AbortSignal): Promise<HttpAnswer>;
  /** The error for an answer that refuses its request. */
  refusal(status: number, text: string, headers: AnswerHeaders): Promise<Error>;
  /** Removes the secrets of the requests from errors. */
  readonly clean: Cleaner;
}
