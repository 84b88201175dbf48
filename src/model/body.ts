// The body of a response: its bytes, until it ends, the signal aborts, or nothing came for too long.

import { LastcallError } from "../core/index.js";

/**
 * Reads the bytes as they come. Leaving it early lets go of the connection.
 * @throws the signal's reason; LastcallError `provider_unavailable` after `idle` milliseconds without a byte.
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
  const watchdog = setTimeout(() => {
    stop(new LastcallError("provider_unavailable", `The provider sent nothing for ${String(idle / 1000)} s.`));
  }, idle);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (broken !== undefined) throw broken as Error;
      if (done) return;
      yield value;
      watchdog.refresh();
    }
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", abort);
    reader.cancel().catch(() => undefined);
  }
}
