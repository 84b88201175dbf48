// The first Ctrl-C: a run at work ends after its iteration.

import type { Event, Principal } from "../../core/index.js";
import { abortBy, follow } from "../../core/internal.js";

/** The terms of a run that can be ended after its iteration. */
export interface Finishing {
  readonly signal: AbortSignal;
  readonly onEvent: (event: Event) => void;
  /** Ends the run after its iteration. */
  readonly finish: () => void;
  /** True once somebody wants the run to end so. */
  readonly isWanted: () => boolean;
  /** Leaves `signal`. Call it when the run has ended. */
  readonly end: () => void;
}

/** The parts of `finishing`. */
export interface FinishingOptions {
  /** Ends the run at once. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: Event) => void;
  /** The person who wants the run to end; undefined without a name. */
  readonly by: Principal | undefined;
}

/** Makes the terms. An iteration that ends the run by itself ends it as ever. */
export function finishing({ signal, onEvent, by }: FinishingOptions): Finishing {
  const stop = new AbortController();
  const end = follow(stop, signal);
  let isWanted = false;
  return {
    signal: stop.signal,
    onEvent(event) {
      onEvent(event);
      if (isWanted && event.type === "iteration-end") stop.abort(abortBy("Interrupted.", by));
    },
    finish() {
      isWanted = true;
    },
    isWanted: () => isWanted,
    end,
  };
}
