// Waiting for promises until a signal aborts, and the reason of an abort in words.

import { explain } from "../data/fault.js";
import { readPrincipal, type Principal } from "../data/principal.js";
import { maxTimerDelay } from "../data/settings.js";

/** Waits for promises, one after the other, until the signal aborts. The promises need not listen to the signal. */
export interface Waiting {
  /** Settles as the promise does, or rejects with the signal's reason as soon as it aborts. Wait for one promise at a time. */
  for<T>(promise: Promise<T>): Promise<T>;
  /** Leaves the signal. Call it after the last wait. */
  end(): void;
}

/** The works that wait for a signal, and their only listener. */
interface Abortion {
  readonly works: Set<() => void>;
  readonly listener: () => void;
}

const abortions = new WeakMap<AbortSignal, Abortion>();

/**
 * Does the work when the signal aborts, once. Returns a function that takes the work off the signal. However many works wait for a signal,
 * it has one listener: Node takes eleven for a leak, and calls that run side by side, and runs under one signal of their caller, are more.
 */
export function onAbort(signal: AbortSignal, work: () => void): () => void {
  const abortion = abortions.get(signal) ?? listen(signal);
  // The same function may wait twice.
  const own = (): void => {
    work();
  };
  abortion.works.add(own);
  return () => {
    if (!abortion.works.delete(own) || abortion.works.size > 0) return;
    signal.removeEventListener("abort", abortion.listener);
    if (abortions.get(signal) === abortion) abortions.delete(signal);
  };
}

function listen(signal: AbortSignal): Abortion {
  const works = new Set<() => void>();
  const listener = (): void => {
    abortions.delete(signal);
    for (const work of works) {
      // A work may take other works off.
      works.delete(work);
      work();
    }
  };
  signal.addEventListener("abort", listener, { once: true });
  const abortion = { works, listener };
  abortions.set(signal, abortion);
  return abortion;
}

/** Makes a `Waiting`. It waits for the signal once, for any number of promises. */
export function waiting(signal: AbortSignal): Waiting {
  let rejectCurrent: (() => void) | undefined;
  const leave = onAbort(signal, () => {
    rejectCurrent?.();
  });
  return {
    for: (promise) =>
      new Promise((resolve, reject) => {
        rejectCurrent = () => {
          reject(signal.reason as Error);
        };
        promise.then(resolve, reject);
        if (signal.aborted) rejectCurrent();
      }),
    end: leave,
  };
}

/** Settles as the promise does, or rejects with the signal's reason as soon as it aborts. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const wait = waiting(signal);
  try {
    return await wait.for(promise);
  } finally {
    wait.end();
  }
}

/**
 * Waits for the work until the signal aborts or its time is up. The work gets a signal that aborts then. Nothing of it stays on the signal
 * of the caller. `timeout` is in milliseconds, or `Infinity`. `late` makes the error of a work that takes longer.
 */
export async function unlessLate<Made>(
  work: (signal: AbortSignal) => Made | Promise<Made>,
  signal: AbortSignal,
  { timeout, late }: { readonly timeout: number; readonly late: () => Error },
): Promise<Made> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const unfollow = follow(stop, signal);
  const onTimeout = (): void => {
    stop.abort(late());
  };
  const timer = timeout === Infinity ? undefined : setTimeout(onTimeout, Math.min(timeout, maxTimerDelay));
  try {
    return await unlessAborted((async () => work(stop.signal))(), stop.signal);
  } finally {
    clearTimeout(timer);
    unfollow();
  }
}

/** The abort reason of a run when its caller leaves the stream. */
export const streamLeft = "the stream was left";

/** The reason of an abort that somebody asked for: the words, and who asked if that is known. */
export function abortBy(words: string, by: Principal | undefined): Error {
  return Object.assign(new DOMException(words, "AbortError"), by && { by });
}

/** The person or program that asked for the abort, if the reason of the signal says it. */
export function abortedBy({ reason }: { readonly reason: unknown }): Principal | undefined {
  return reason instanceof DOMException && "by" in reason ? readPrincipal(reason.by, "by") : undefined;
}

/** Tells people who aborted a run and why, as far as the signal's reason says. */
export function whyAborted(signal: Pick<AbortSignal, "reason">): string {
  return reasonIn(signal, "the caller aborted the run");
}

/** Words for people about an abort: the deed, such as "the caller aborted the run", with the signal's reason if it has one. */
export function reasonIn({ reason }: Pick<AbortSignal, "reason">, deed: string): string {
  const why = explain(reason);
  if (why === streamLeft) return why;
  return why === "" || why === explain(AbortSignal.abort().reason) ? deed : `${deed}: ${why}`;
}

/**
 * Aborts the controller when one of the signals aborts, with the reason of that signal, at once if one has aborted already.
 * Returns a function that leaves the signals. Call it when the work of the controller has ended.
 *
 * Not `AbortSignal.any`: a signal keeps an entry for each signal derived from it, and Node keeps a derived signal alive while it has a
 * listener. In Node 20, 100,000 derivations from one signal, half with a listener that stayed, left 665 bytes each and made its abort
 * take 470 ms. This function left nothing.
 */
export function follow(controller: AbortController, ...signals: readonly (AbortSignal | undefined)[]): () => void {
  const followed: (() => void)[] = [];
  const unfollow = (): void => {
    for (const leave of followed.splice(0)) leave();
  };
  for (const signal of signals) {
    if (signal === undefined) continue;
    const abort = (): void => {
      unfollow();
      controller.abort(signal.reason);
    };
    if (signal.aborted) {
      abort();
      break;
    }
    followed.push(onAbort(signal, abort));
  }
  return unfollow;
}
