// Reads the bytes of a response body until it ends, the signal aborts, or the server sends nothing for too long.

import { LastcallError } from "../../core/index.js";

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

/**
 * Reads the bytes as they arrive. If the caller stops early, the rest is drained in the background, so that the connection
 * can carry the next request. An abort closes the connection, and so does a rest that takes longer than a second.
 * @throws the signal's reason; LastcallError `provider_unavailable` after `idle` milliseconds without a byte or five times as long
 * without progress, `provider_rejected` after 64 MiB.
 */
export async function* body(
  response: Response,
  signal: AbortSignal,
  patience: Patience,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (reader === undefined) return;
  const { idle } = patience;
  let stopReason: unknown;
  const stop = (reason: unknown): void => {
    stopReason ??= reason;
    reader.cancel(reason).catch(() => undefined);
  };
  const abort = (): void => {
    stop(signal.reason);
  };
  // The watchdog measures the server only: time that the caller spends between two reads does not count.
  let isReading = false;
  let bytesRead = 0;
  const watchdog = setTimeout(() => {
    const before = bytesRead;
    // After the machine slept, timers fire first: bytes that arrived meanwhile are read before the server is blamed.
    setImmediate(() => {
      if (isReading && bytesRead === before)
        stop(new LastcallError("provider_unavailable", `The provider sent nothing for ${String(idle / 1000)} s.`));
    });
  }, idle);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  let hasEnded = false;
  try {
    for (;;) {
      isReading = true;
      watchdog.refresh();
      const before = performance.now();
      const { done, value } = await reader.read();
      isReading = false;
      if (stopReason !== undefined) throw stopReason as Error;
      hasEnded = done;
      if (done) return;
      // A machine that slept makes one read look long.
      patience.waited += Math.min(idle, performance.now() - before);
      if (patience.waited > idle * idleTimeoutsWithoutProgress) throw withoutProgress(patience, stop);
      bytesRead += value.length;
      if (bytesRead > maxBytes) throw tooLong(stop);
      yield value;
    }
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", abort);
    if (!hasEnded && stopReason === undefined) void finish(reader);
  }
}

function withoutProgress({ idle }: Patience, stop: (reason: unknown) => void): LastcallError {
  const seconds = String((idle * idleTimeoutsWithoutProgress) / 1000);
  const message = `The provider sent bytes for ${seconds} s, and nothing of a reply in them.`;
  const fault = new LastcallError("provider_unavailable", message);
  stop(fault);
  return fault;
}

function tooLong(stop: (reason: unknown) => void): LastcallError {
  const fault = new LastcallError("provider_rejected", "The provider sent a reply of more than 64 MiB.");
  stop(fault);
  return fault;
}

/** Reads the rest of the body. Never rejects. */
async function finish(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => {
    reader.cancel().catch(() => undefined);
  }, drainTimeout);
  try {
    while (!(await reader.read()).done);
  } catch {
    // Nobody needs the rest, so an error of the connection does not matter.
  } finally {
    clearTimeout(timer);
  }
}
