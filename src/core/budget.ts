// The budget: what a run has left, drawn from by the agents that its tools run. Limits are one tree.

import type { LimitReached } from "./limit.js";
import type { Spent } from "./spent.js";

/** What was set aside for one request. */
export interface Hold {
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
  hold(next: Spent): Hold | LimitReached;
}

/** True where it was set aside. */
export function isHold(answer: Hold | LimitReached): answer is Hold {
  return "settle" in answer;
}
