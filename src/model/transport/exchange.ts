// One request and its answer on a dispatcher: takes the dispatcher's callbacks, gives an answer whose bytes are read on demand.

import { onAbort } from "../../core/internal.js";
import { silent, type ByteSource, type HttpAnswer } from "./http-answer.js";
import type { AnswerHeaders, DispatchControl, DispatchHandler, IncomingHeaders } from "./ports.js";

/** The number of unread bytes above which the connection is paused. */
const pauseAt = 256 * 1024;

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** One request and its answer. The signal closes the connection at any time until the body has ended; `timeout` is for the head. */
export class Exchange implements DispatchHandler, ByteSource {
  readonly #leaveSignal: () => void;
  /** Runs until the head of the answer has arrived. */
  readonly #timer: NodeJS.Timeout;
  #control: DispatchControl | undefined;
  #waitsForHead: Waiting<HttpAnswer> | undefined;
  #waitsForBytes: Waiting<Uint8Array | undefined> | undefined;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #hasEnded = false;
  /** The first reason for a stop: of the signal, of the reader, or of the connection. */
  #failure: { readonly reason: Error } | undefined;

  constructor(signal: AbortSignal, timeout: number) {
    this.#timer = setTimeout(() => {
      this.stop(silent(timeout));
    }, timeout);
    this.#leaveSignal = onAbort(signal, () => {
      this.stop(signal.reason);
    });
    if (signal.aborted) this.stop(signal.reason);
  }

  /** Waits for the head of the answer. Call it once, at once. */
  head(): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#failure === undefined) this.#waitsForHead = { resolve, reject };
      else reject(this.#failure.reason);
    });
  }

  read(): Promise<Uint8Array | undefined> {
    const [first] = this.#unread;
    if (first !== undefined) {
      const bytes = this.#unread.length === 1 ? first : Buffer.concat(this.#unread);
      this.#unread = [];
      if (this.#unreadBytes > pauseAt) this.#control?.resume();
      this.#unreadBytes = 0;
      return Promise.resolve(bytes);
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    if (this.#hasEnded) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waitsForBytes = { resolve, reject };
    });
  }

  stop(reason: unknown): void {
    if (this.#hasEnded || this.#failure !== undefined) return;
    this.#unread = [];
    this.#fail(reason);
    // Without a control the request has not begun. It is stopped when it begins.
    this.#control?.abort(asError(reason));
  }

  onRequestStart(control: DispatchControl): void {
    this.#control = control;
    if (this.#failure !== undefined) control.abort(asError(this.#failure.reason));
  }

  onResponseStart(_control: DispatchControl, status: number, headers: IncomingHeaders): void {
    // 103 and the like come before the answer.
    if (status < 200) return;
    clearTimeout(this.#timer);
    this.#waitsForHead?.resolve({ status, headers: headersOf(headers), source: this });
    this.#waitsForHead = undefined;
  }

  onResponseData(control: DispatchControl, bytes: Uint8Array): void {
    if (this.#failure !== undefined) return;
    const waiting = this.#waitsForBytes;
    if (waiting !== undefined) {
      this.#waitsForBytes = undefined;
      waiting.resolve(bytes);
      return;
    }
    this.#unread.push(bytes);
    const before = this.#unreadBytes;
    this.#unreadBytes += bytes.length;
    if (before <= pauseAt && this.#unreadBytes > pauseAt) control.pause();
  }

  onResponseEnd(): void {
    if (this.#failure !== undefined) return;
    this.#hasEnded = true;
    this.#leaveSignal();
    this.#waitsForBytes?.resolve(undefined);
    this.#waitsForBytes = undefined;
  }

  onResponseError(_control: DispatchControl | undefined, error: Error): void {
    this.#fail(error);
  }

  #fail(reason: unknown): void {
    if (this.#hasEnded || this.#failure !== undefined) return;
    // An abort may have any reason.
    this.#failure = { reason: reason as Error };
    clearTimeout(this.#timer);
    this.#leaveSignal();
    (this.#waitsForHead ?? this.#waitsForBytes)?.reject(reason);
    this.#waitsForHead = undefined;
    this.#waitsForBytes = undefined;
  }
}

function headersOf(headers: IncomingHeaders): AnswerHeaders {
  return {
    get(name) {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
    },
  };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException("The request was aborted.", "AbortError");
}
