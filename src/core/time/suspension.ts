// The suspension of a run: it stops at the next point at which nothing is lost, and its journal stays open for another process.

import { follow, reasonIn } from "./abort.js";

/** A wish to suspend a run, and the watcher that is told that the run did so. */
export interface Suspension {
  /** Aborts when the run is to be suspended. */
  readonly signal: AbortSignal;
  /** Called when the run has ended without an end in its journal. */
  left(): void;
}

/** Thrown to end a run that is suspended. It is no fault, and no tool or model sees it. */
export class Suspended extends Error {
  constructor(signal: AbortSignal) {
    super(reasonIn(signal, "the caller suspended the run"));
    this.name = "Suspended";
  }
}

/**
 * Throws `Suspended` if the run is to be suspended.
 * @throws Suspended
 */
export function throwIfSuspended(suspension: Suspension | undefined): void {
  if (suspension?.signal.aborted === true) throw new Suspended(suspension.signal);
}

/** Joins the caller's signal with the suspension of the run around this run. `end` takes the listeners off both. */
export function joinSuspensions(
  own: AbortSignal | undefined,
  around: Suspension | undefined,
): { readonly suspension: Suspension | undefined; readonly end: () => void } {
  if (own === undefined) return { suspension: around, end: () => undefined };
  const stop = new AbortController();
  const end = follow(stop, own, around?.signal);
  const left = (): void => {
    // Only a suspension of the run around is told to it. A tool that suspended its agent itself reads that from the outcome.
    if (around?.signal.aborted === true) around.left();
  };
  return { suspension: { signal: stop.signal, left }, end };
}
