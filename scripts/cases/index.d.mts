// The types of the replay of case files, for the tests.

/** A case: a line of a file. */
export type Case = Readonly<Record<string, unknown>>;

/** The result of a case. */
export interface Result {
  readonly id: string;
  readonly category: string;
  readonly verdict: "ok" | "FAIL" | "disputed" | "not carried";
  /** The expected outcome; if there are alternatives, the one that held. */
  readonly outcome: string;
  /** The reason why it failed or is disputed. */
  readonly reason: string;
  /** Details of the run. */
  readonly notes: readonly string[];
}

/** The library to replay with. */
export interface Library {
  readonly createAgent: unknown;
  readonly tool: unknown;
  readonly openai: unknown;
  /** True if `openai` makes models that take streams alone: whole completions are streamed to them. Default: false. */
  readonly streamsOnly?: boolean;
  /** Makes the preview of a call that a person is asked to approve. */
  readonly preview?: unknown;
  /** Makes the text of a result that the command shows. */
  readonly withoutThinking?: unknown;
}

export interface ReplayOptions {
  readonly library: Library;
  /** The number of cases that run at the same time. Default 4. */
  readonly concurrency?: number;
  /** The timeout of a run in milliseconds. Default 5000, and 20,000 for generated input. */
  readonly bound?: number;
  /** The disputed cases, by id, with the reason. Default: the list in disputed.mjs. */
  readonly disputed?: ReadonlyMap<string, string>;
  /** The cases that the carrier can't carry, by id, with the reason. Each must fail. Default: none. */
  readonly notCarried?: ReadonlyMap<string, string>;
}

/** The cases that the AI SDK's package for OpenAI-compatible servers can't carry. */
export const notCarried: ReadonlyMap<string, string>;

export function readCases(files: readonly string[], prefixes?: readonly string[]): readonly Case[];
export function replayAll(cases: readonly Case[], options: ReplayOptions): Promise<readonly Result[]>;
export function lineOf(result: Result, options?: { readonly verbose?: boolean }): string;
export function tableOf(results: readonly Result[]): string;
export function countsOf(results: readonly Result[]): string;
export function isGood(results: readonly Result[]): boolean;
