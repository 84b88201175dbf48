// A limit that was reached.

/** Which limit stopped a run. */
export type LimitReason = "max_iterations" | "timeout" | "token_budget" | "cost_budget";

/** A limit's no. */
export interface LimitReached {
  readonly reason: LimitReason;
  /** For people: which bound, and how much was used. */
  readonly message: string;
  /** True where enough is left for a closing iteration. */
  readonly canClose: boolean;
}
