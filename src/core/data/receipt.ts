// Receipts: the evidence of one check. Only the loop writes them.

/**
 * The time of a check: before the first request, after an iteration that changed something, or at a completing claim. `edit`
 * means after a call that wrote a file. It occurs only in the events of hooks: no check runs then, and nothing is recorded.
 */
export type CheckTime = "baseline" | "iteration" | "claim" | "edit";

/**
 * The evidence for a completion, strongest first. Rules and advice are none:
 * - `checked`: a check passed that had failed, before the run changed anything or later in the run;
 * - `judged`: the only such checks go by a model's opinion; these do not run before;
 * - `held`: every check had passed before anything was done and none has failed since, so the checks prove nothing about this task;
 * - `unchecked`: there were no checks but rules and advice.
 */
export type Verification = "checked" | "judged" | "held" | "unchecked";

/** The evidence in the receipts of an accepted completion. */
export function verificationOf(receipts: readonly Receipt[]): Verification {
  const goals = receipts.filter(({ kind }) => kind === undefined);
  if (goals.length === 0) return "unchecked";
  const proofs = goals.filter(({ passedAtBaseline, failedBefore }) => passedAtBaseline !== true || failedBefore > 0);
  if (proofs.length === 0) return "held";
  return proofs.every(({ judged }) => judged) ? "judged" : "checked";
}

/** The result of a check as the harness itself saw it. Nothing else can write one. */
export interface Receipt {
  readonly check: string;
  readonly when: CheckTime;
  readonly passed: boolean;
  readonly exitCode?: number;
  /** True if a model's opinion can make the check pass. */
  readonly judged: boolean;
  /** `rule`: it had to pass, and is no evidence. `advice`: it need not pass. Absent for a goal. */
  readonly kind?: "rule" | "advice";
  /** SHA-256 of the output in the check's record, in hexadecimal. */
  readonly digest: string;
  /** The duration in milliseconds. */
  readonly duration: number;
  /** The number of earlier failures of this check in the run. The baseline does not count. */
  readonly failedBefore: number;
  /** True if the check failed and later passed although nothing had changed in between. */
  readonly flaky: boolean;
  /** True if the check passed before the run changed anything, so that passing proves nothing. Absent if it did not run then. */
  readonly passedAtBaseline?: boolean;
  /** The parts of the check that have changed since the task began. */
  readonly changed: readonly string[];
  /** The sequence number of the check's record in the journal. */
  readonly record: number;
}
