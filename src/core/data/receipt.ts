// Receipts: the record of one check, written by the loop alone.

/**
 * When a check is run: before the first request, after an iteration that changed something, or at a completing claim. `edit`,
 * after a call that wrote a file, is of what hooks run and show as events: no check is asked then, and nothing recorded.
 */
export type CheckTime = "baseline" | "iteration" | "claim" | "edit";

/** What the harness itself saw of a check; nobody else writes one. */
export interface Receipt {
  readonly check: string;
  readonly when: CheckTime;
  readonly passed: boolean;
  readonly exitCode?: number;
  /** True where a model's opinion was enough. */
  readonly judged: boolean;
  /** SHA-256 of the output in the record, hexadecimal. */
  readonly digest: string;
  /** Milliseconds. */
  readonly duration: number;
  /** How often this check had failed earlier in the run, the baseline not counted. */
  readonly failedBefore: number;
  /** True where it failed, and passed later although nothing had been changed in between. */
  readonly flaky: boolean;
  /** Whether it passed before anything was done: a yes then says nothing about the task. Absent where it was not asked then. */
  readonly passedAtBaseline?: boolean;
  /** What the check is made of and was changed since the task began. */
  readonly changed: readonly string[];
  /** The sequence number of the check's record in the journal. */
  readonly record: number;
}
