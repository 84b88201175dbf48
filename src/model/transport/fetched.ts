// Sends requests with a fetch function of the caller.

import { follow } from "../../core/internal.js";
import { silent, type ByteSource, type Transport } from "./http-answer.js";
import type { Fetch, FetchResponse } from "./ports.js";

/** Makes a transport over a fetch function. It follows no redirect, unless the function ignores that it must not. */
export function overFetch(fetch: Fetch): Transport {
  return async ({ url, headers, body, timeout }, signal) => {
    signal.throwIfAborted();
    const stop = new AbortController();
    const leave = follow(stop, signal);
    const timer = setTimeout(() => {
      stop.abort(silent(timeout));
    }, timeout);
    try {
      // A text, since Node's fetch loses bytes that it sends to a second place.
      const text = Buffer.concat(body).toString();
      const response = await orAborted(
        fetch(url.href, { method: "POST", headers, body: text, signal: stop.signal, redirect: "manual" }),
        stop.signal,
      );
      return { status: response.status, headers: response.headers, source: sourceOf(response, stop, leave) };
    } catch (thrown) {
      leave();
      stop.signal.throwIfAborted();
      throw thrown;
    } finally {
      clearTimeout(timer);
    }
  };
}

function sourceOf({ body }: FetchResponse, stop: AbortController, leave: () => void): ByteSource {
  const reader = body?.getReader();
  return {
    async read() {
      try {
        if (reader !== undefined) {
          const { done, value } = await orAborted(reader.read(), stop.signal);
          if (!done) return value;
        }
        leave();
        return undefined;
      } catch (thrown) {
        leave();
        // A fetch function that ignores its signal still has an open body.
        reader?.cancel(thrown).catch(() => undefined);
        throw thrown;
      }
    },
    stop(reason) {
      leave();
      stop.abort(reason);
    },
  };
}

/** Waits for the promise, or throws the reason of the signal when it aborts: a fetch function may ignore its signal. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", abort);
    });
  });
}
