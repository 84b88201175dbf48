// Watches over one request: it ends when the caller aborts, when the answer is left, or when nothing came for too long.

import { LastcallError } from "../core/index.js";
import { follow } from "../core/internal.js";

/** The watch over one request. */
export interface Watch {
  /** Aborts with the reason for which the request ends. */
  readonly signal: AbortSignal;
  /** Calls the function once when the request ends early. */
  onAbort(end: (reason: unknown) => void): void;
  /** The time begins when the request waits, and begins again with each wait. The time of the caller does not count. */
  waits(): void;
  /** A part arrived. */
  heard(): void;
  /** Ends the watch over a request that has ended itself. */
  end(): void;
  /** Ends the request too. */
  leave(): void;
}

/** Begins to watch. `timeout` is in milliseconds; `signal` is the caller's signal. */
export function watch(timeout: number, provider: string, signal: AbortSignal): Watch {
  const stop = new AbortController();
  const unfollow = follow(stop, signal);
  let isWaiting = true;
  const timer = setTimeout(() => {
    if (!isWaiting) return;
    const message = `The provider ${provider} has sent nothing of a reply for ${String(timeout)} ms.`;
    stop.abort(new LastcallError("provider_unavailable", message));
  }, timeout);
  const end = (): void => {
    clearTimeout(timer);
    unfollow();
  };
  return {
    signal: stop.signal,
    onAbort(ended) {
      stop.signal.addEventListener(
        "abort",
        () => {
          ended(stop.signal.reason);
        },
        { once: true },
      );
    },
    waits() {
      isWaiting = true;
      timer.refresh();
    },
    heard() {
      isWaiting = false;
    },
    end,
    leave() {
      end();
      stop.abort(new Error("the answer was left"));
    },
  };
}
