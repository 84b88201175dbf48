// Reads the bytes of an answer's body until it ends, or the server sends nothing for too long.

import { LastcallError } from "../../core/index.js";
import { silent, type ByteSource } from "./http-answer.js";

/** The longest body that is read, in bytes. */
const maxBytes = 64 * 1024 * 1024;

/** Milliseconds that the rest of a body may take to arrive after the caller stopped reading it. */
const drainTimeout = 1000;

/** The patience with a server. */
export interface Patience {
  /** Milliseconds without a byte after which the server is given up. */
  readonly idle: number;
  /** Milliseconds that the server has taken since its last progress. The reader of the bytes sets it to 0 at each progress. */
  waited: number;
}

/**
 * A server that sends bytes without progress, such as comments or empty chunks, is given up after this many idle timeouts. Servers send
 * comments while a request waits in their queue.
 */
const idleTimeoutsWithoutProgress = 5;

/** The bytes of a body, read under a watchdog. */
export class Body {
  readonly #source: ByteSource;
  readonly #patience: Patience;
  readonly #watchdog: NodeJS.Timeout;
  // The watchdog measures the server only: time that the caller spends between two reads does not count.
  #isReading = false;
  #bytesRead = 0;
  #hasEnded = false;

  constructor(source: ByteSource, patience: Patience) {
    this.#source = source;
    this.#patience = patience;
    this.#watchdog = setTimeout(() => {
      this.#checkOnServer();
    }, patience.idle);
  }

  /**
   * The next bytes; undefined at the end.
   * @throws the reason of the signal that the source has; LastcallError `provider_unavailable` after `idle` milliseconds without a byte or
   * five times as long without progress, `provider_rejected` after 64 MiB.
   */
  async read(): Promise<Uint8Array | undefined> {
    const { idle } = this.#patience;
    this.#isReading = true;
    this.#watchdog.refresh();
    const before = performance.now();
    const bytes = await this.#source.read();
    this.#isReading = false;
    if (bytes === undefined) {
      this.#hasEnded = true;
      return undefined;
    }
    // A machine that slept makes one read look long.
    this.#patience.waited += Math.min(idle, performance.now() - before);
    if (this.#patience.waited > idle * idleTimeoutsWithoutProgress) throw this.#stopped(withoutProgress(idle));
    this.#bytesRead += bytes.length;
    if (this.#bytesRead > maxBytes) throw this.#stopped(tooLong());
    return bytes;
  }

  /**
   * Ends the reading. Call it once, in any case. If the body has not ended, its rest is read in the background, so that the connection can
   * carry the next request; a rest that takes longer than a second closes the connection.
   */
  leave(): void {
    clearTimeout(this.#watchdog);
    if (!this.#hasEnded) void finish(this.#source);
  }

  #checkOnServer(): void {
    const before = this.#bytesRead;
    // After the machine slept, timers fire first: bytes that arrived meanwhile are read before the server is blamed.
    setImmediate(() => {
      if (this.#isReading && this.#bytesRead === before) this.#source.stop(silent(this.#patience.idle));
    });
  }

  #stopped(fault: LastcallError): LastcallError {
    this.#source.stop(fault);
    return fault;
  }
}

function withoutProgress(idle: number): LastcallError {
  const seconds = String((idle * idleTimeoutsWithoutProgress) / 1000);
  const message = `The provider sent bytes for ${seconds} s, and nothing of a reply in them.`;
  return new LastcallError("provider_unavailable", message);
}

function tooLong(): LastcallError {
  return new LastcallError("provider_rejected", "The provider sent a reply of more than 64 MiB.");
}

/** Reads the rest of the body. Never rejects. A body that was stopped ends at once. */
async function finish(source: ByteSource): Promise<void> {
  const timer = setTimeout(() => {
    source.stop(new DOMException("The rest of the reply is not read.", "AbortError"));
  }, drainTimeout);
  try {
    while ((await source.read()) !== undefined);
  } catch {
    // Nobody needs the rest, so an error of the connection does not matter.
  } finally {
    clearTimeout(timer);
  }
}
