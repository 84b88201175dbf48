// The port for budgets: the rest of a run's limits, shared with the agents that its tools run. The limits form one tree.

import type { Principal } from "../data/principal.js";
import type { Spent, LimitReached } from "../journal/spent.js";

/** The amount that is set aside for one request. Call exactly one of its two methods. */
export interface Reservation {
  /** Call this when the request was answered, with the amount that it used. Every run up the tree records it. */
  settle(spent: Spent): Promise<void>;
  /** Call this when the request failed: the amount is free again. */
  release(): void;
}

/**
 * The rest of a run's limits. An agent that a tool runs on `context.child()` draws from it: each request of the inner run is checked
 * against the limits of the outer run as well, and its usage counts for both.
 */
export interface Budget {
  /** True if it bounds the cost itself. A run whose model has no price in `limits.prices` is then refused. Default false. */
  readonly needsPrice?: boolean;
  /**
   * Sets aside the amount that a request is likely to use, here and up the tree. Returns the limit that forbids it otherwise, at once or as
   * a promise. A rejection is a fault of the run. `key` is the request's key: a resumed run that sends it again gives the same key, so a
   * budget that outlives the process counts it once. A run always gives one. `principal` is the principal of the words that the request
   * follows from, by the journal of the outermost run: a tool can't name another. Undefined if nobody said who it is. A budget around
   * another budget passes all three on.
   */
  reserve(next: Spent, key?: string, principal?: Principal): ReserveAnswer | Promise<ReserveAnswer>;
}

/** The answer of a budget: the amount that was set aside, or the limit that forbids it. */
export type ReserveAnswer = Reservation | LimitReached;

/** True if the amount was set aside. */
export function isReservation(answer: ReserveAnswer): answer is Reservation {
  return "settle" in answer;
}
