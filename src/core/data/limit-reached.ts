// The answer that a limit of a run is reached.

/** The limit that stopped a run. */
export type LimitReason = "max_iterations" | "timeout" | "token_budget" | "cost_budget";

/** A limit that forbids the next request. */
export interface LimitReached {
  readonly reason: LimitReason;
  /** The bound and the amount used, in words for people. */
  readonly message: string;
  /** True if enough is left for a closing iteration. */
  readonly canClose: boolean;
}
