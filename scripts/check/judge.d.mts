// The types of the verdict of a check, for the tests.

/** A test file in a report. */
export interface TestFile {
  /** Relative to the root of the project. */
  readonly file: string;
  /** The failure of the file itself: it did not load, or a hook failed. */
  readonly failure: string | undefined;
  readonly tests: readonly {
    readonly name: string;
    readonly status: "passed" | "failed" | "skipped";
    readonly message: string;
  }[];
}

/** A report of a run. */
export interface Report {
  readonly files: readonly TestFile[];
  /** Errors that belong to no test. */
  readonly errors: readonly string[];
}

/** A run of tests, with its exit code. */
export interface Run {
  readonly name: string;
  readonly status: number | null;
  readonly report: Report | undefined;
}

/** The second try of a file. */
export interface Try {
  readonly run: string;
  readonly file: string;
  readonly status: number | null;
  readonly report: Report | undefined;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Failure {
  readonly run: string;
  readonly file: string;
  /** Undefined for the failure of a file. */
  readonly name: string | undefined;
  readonly message: string;
}

export interface Verdict {
  readonly isGood: boolean;
  readonly broken: readonly string[];
  readonly flaky: readonly Failure[];
  readonly flakyFiles: number;
  readonly failures: readonly Failure[];
  readonly counts: readonly { readonly name: string; readonly counts: Counts }[];
  readonly total: Counts;
}

/** True if one failure in the test file fails the check. */
export function isStrict(file: string): boolean;

/** The test files that run a second time, each with the name of its run. */
export function toRunAgain(runs: readonly Run[]): readonly { readonly run: string; readonly file: string }[];

/** The verdict over all runs and all second tries. */
export function judge(runs: readonly Run[], tries: readonly Try[]): Verdict;
