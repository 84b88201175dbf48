// Decisions: whether a call may run, and on what grounds.

/**
 * What a decision goes by: a rule that the caller wrote, a protected path, the tier, a yes that was given for the session, the
 * mode, the effect alone, or whoever was asked.
 */
export type Basis = "rule" | "protected" | "tier" | "grant" | "mode" | "effect" | "approver";

/** What permission says, and why; the reason goes to the journal, and to the model when it is a no. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
  /** What it goes by. Default: not said. */
  readonly basis?: Basis;
}
