// A rule that was kept for later processes.

/** A rule that a person chose at a question. */
export interface KeptRule {
  /** The rule, as it was offered. */
  readonly rule: string;
  /** The definition of the tool that the person saw, if a stranger wrote it. The rule counts for this definition alone. Default: none. */
  readonly definition?: string | undefined;
}
