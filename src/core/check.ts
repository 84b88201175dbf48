// The port for checks: is what the model claims to have done really done?

/** What a check found. */
export interface CheckVerdict {
  readonly passed: boolean;
  /** What it saw, for the model to read where it failed. */
  readonly output: string;
  /** The exit code, where the check was a command that exited. */
  readonly exitCode?: number;
}

/**
 * A question about the world that has to be answered with yes before a completion is accepted.
 *
 * Contract: `verify` looks and changes nothing that the run depends on. It returns a verdict for a no as for a yes;
 * throwing counts as a no, with the error as its output. It settles soon after `signal` aborts.
 */
export interface Check {
  /** For people and for the receipt: the command line, say. */
  readonly name: string;
  verify(signal: AbortSignal): CheckVerdict | Promise<CheckVerdict>;
}

/** What the harness itself saw of a check; nobody else writes one. */
export interface Receipt {
  readonly check: string;
  readonly passed: boolean;
  readonly exitCode?: number;
  /** SHA-256 of the output in the record, hexadecimal. */
  readonly digest: string;
  /** Milliseconds. */
  readonly duration: number;
  /** How often this check had failed earlier in the run. More than 0 and no change since: it may be flaky. */
  readonly failedBefore: number;
  /** The sequence number of the check's record in the journal. */
  readonly record: number;
}
