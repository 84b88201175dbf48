// Drives a generator by hand until a signal aborts. However the generator is left, its `finally` runs.

import type { Runtime } from "./runtime.js";
import { waiting } from "./abort.js";

/** Milliseconds that a model or a tool gets to stop after its signal aborts. */
export const gracePeriod = 1000;

/** A generator that is driven by hand. */
export interface Driven<Yielded, Returned> {
  /** The next step. Rejects with the signal's reason as soon as the signal aborts, even if the generator ignores it. */
  next(): Promise<IteratorResult<Yielded, Returned>>;
  /**
   * Returns the generator unless it has ended, and waits until it has stopped, but no longer than the grace period. Call it in a `finally`.
   * It never rejects: an error of a generator that nobody waits for any more does not matter.
   */
  end(): Promise<void>;
}

/** Drives the source until the signal aborts. It adds a single listener to the signal. */
export function drive<Yielded, Returned>(
  source: AsyncGenerator<Yielded, Returned, void>,
  signal: AbortSignal,
  runtime: Pick<Runtime, "sleep">,
): Driven<Yielded, Returned> {
  const wait = waiting(signal);
  let hasEnded = false;
  return {
    async next() {
      signal.throwIfAborted();
      const settled = await wait.for(source.next());
      hasEnded = settled.done === true;
      return settled;
    },
    async end() {
      wait.end();
      if (hasEnded) return;
      // A generator takes the return after the step that is under way.
      const returned = source.return(undefined as Returned).then(ignore, ignore);
      const timer = new AbortController();
      await Promise.race([returned, runtime.sleep(gracePeriod, timer.signal).catch(ignore)]);
      timer.abort();
    },
  };
}

const ignore = (): void => undefined;
