// The budget: what a run has left, drawn from by the agents that its tools run. Limits are one tree.

import type { LimitReached } from "../data/limit-reached.js";
import type { Spent } from "../journal/spent.js";

/** What was set aside for one request. */
export interface Reservation {
  /** The request was answered, and used so much. Recorded in every run up the tree. */
  settle(spent: Spent): Promise<void>;
  /** The request came to nothing. */
  release(): void;
}

/**
 * What a run has left. A tool that runs an agent of its own hands `context.budget` on, `agent.run(task, { budget })`: what
 * that run uses is then bounded by the limits of this one as well, before each request, and counts for them.
 */
export interface Budget {
  /** Sets aside what a request is likely to use, here and up the tree; or says which limit forbids it. */
  reserve(next: Spent): Reservation | LimitReached;
}

/** True where it was set aside. */
export function isReservation(answer: Reservation | LimitReached): answer is Reservation {
  return "settle" in answer;
}
