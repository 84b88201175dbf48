// The body of a response: its bytes, until it ends, the signal aborts, or nothing came for too long.

import { LastcallError } from "../../core/index.js";

/** Bytes: no reply of a model is longer. */
const most = 64 * 1024 * 1024;

/** Milliseconds that the end of a body may take once nobody reads it any more. */
const moment = 1000;

/**
 * Reads the bytes as they come. Left early, it reads on to the end unseen, so that the connection can carry the next
 * request; an abort, or an end that takes longer than a moment, closes the connection.
 * @throws the signal's reason; LastcallError `provider_unavailable` after `idle` milliseconds without a byte, `provider_rejected` after 64 MiB.
 */
export async function* body(
  response: Response,
  signal: AbortSignal,
  idle: number,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (reader === undefined) return;
  let broken: unknown;
  const stop = (reason: unknown): void => {
    broken ??= reason;
    reader.cancel(reason).catch(() => undefined);
  };
  const abort = (): void => {
    stop(signal.reason);
  };
  // It watches the server and not the reader: what is waited for at a yield is not the server's fault.
  let isReading = false;
  let read = 0;
  const watchdog = setTimeout(() => {
    const before = read;
    // A process that was asleep wakes to its timers: what came meanwhile is read before the server is blamed.
    setImmediate(() => {
      if (isReading && read === before)
        stop(new LastcallError("provider_unavailable", `The provider sent nothing for ${String(idle / 1000)} s.`));
    });
  }, idle);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  let isOver = false;
  try {
    for (;;) {
      isReading = true;
      watchdog.refresh();
      const { done, value } = await reader.read();
      isReading = false;
      if (broken !== undefined) throw broken as Error;
      isOver = done;
      if (done) return;
      read += value.length;
      if (read > most) throw tooLong(stop);
      yield value;
    }
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", abort);
    if (!isOver && broken === undefined) void finish(reader);
  }
}

function tooLong(stop: (reason: unknown) => void): LastcallError {
  const fault = new LastcallError("provider_rejected", "The provider sent a reply of more than 64 MiB.");
  stop(fault);
  return fault;
}

/** Reads what is left; never rejects. */
async function finish(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => {
    reader.cancel().catch(() => undefined);
  }, moment);
  try {
    while (!(await reader.read()).done);
  } catch {
    // A connection that breaks now has nothing left to give.
  } finally {
    clearTimeout(timer);
  }
}
