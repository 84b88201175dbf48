// The types of the replay of case files, for the tests.

/** A case: a line of a file. */
export type Case = Readonly<Record<string, unknown>>;

/** What came of a case. */
export interface Result {
  readonly id: string;
  readonly category: string;
  readonly verdict: "ok" | "FAIL" | "disputed";
  /** The outcome it expects; which alternative held, where there are several. */
  readonly outcome: string;
  /** What speaks against it, or why it is disputed. */
  readonly reason: string;
  /** What happened, for whoever wants to know more. */
  readonly notes: readonly string[];
}

/** What is replayed through. */
export interface Library {
  readonly createAgent: unknown;
  readonly tool: unknown;
  readonly openai: unknown;
  /** What a person is shown of a call before it runs. */
  readonly preview?: unknown;
  /** What the command shows of a result. */
  readonly withoutThinking?: unknown;
}

export interface ReplayOptions {
  readonly library: Library;
  /** How many cases run at a time. Default 4. */
  readonly concurrency?: number;
  /** Milliseconds that a run may take. Default 5000, and 20,000 for generated input. */
  readonly bound?: number;
  /** Default: the list in disputed.mjs. */
  readonly disputed?: ReadonlyMap<string, string>;
}

export function readCases(files: readonly string[], prefixes?: readonly string[]): readonly Case[];
export function replayAll(cases: readonly Case[], options: ReplayOptions): Promise<readonly Result[]>;
export function lineOf(result: Result, options?: { readonly verbose?: boolean }): string;
export function tableOf(results: readonly Result[]): string;
export function countsOf(results: readonly Result[]): string;
export function isGood(results: readonly Result[]): boolean;
