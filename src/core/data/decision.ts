// Decisions of the permission: whether a call may run, and why.

/** The basis of a decision. `grant` is an approval for the whole session; `effect` is the effect of the tool alone. */
export type Basis = "rule" | "protected" | "tier" | "grant" | "mode" | "effect" | "approver";

/** The answer of the permission. Its reason goes to the journal, and to the model if the call is denied. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
  /** The basis of the decision. Default: unknown. */
  readonly basis?: Basis;
}
