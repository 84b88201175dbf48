// The port for limits, and the simplest one.

import { wholeNumber } from "./settings.js";
import type { State } from "./state.js";

/** Why a limit stopped a run. */
export type LimitReason = "max_iterations" | "timeout" | "token_budget" | "cost_budget" | "veto";

/** A limit's no. */
export interface LimitReached {
  readonly reason: LimitReason;
  /** For people: which bound, and how much was used. */
  readonly message: string;
}

/**
 * A bound of the caller's on a run.
 *
 * Contract: pure over the state; asked at the end of every iteration that did not end the run; it changes nothing.
 */
export interface Limit {
  reached(state: State): LimitReached | undefined;
}

/**
 * At most so many iterations in a run. Off by default: a run has no bound.
 * @throws LastcallError `configuration` unless `most` is a whole number of at least 1.
 */
export function maxIterations(most: number): Limit {
  wholeNumber("maxIterations", most);
  return {
    reached: ({ iteration }) =>
      iteration >= most
        ? { reason: "max_iterations", message: `${String(most)} iterations, as many as allowed` }
        : undefined,
  };
}
