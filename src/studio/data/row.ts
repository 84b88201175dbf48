// Rows: the lines of a timeline.

import type { JournalRecord, Usage } from "../../core/index.js";
import type { RecordWords } from "../../core/internal.js";

/** A call of an iteration with all that followed from it. */
export interface CallView {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON, or as the model wrote them if they are none. */
  readonly arguments: string;
  /** The diff that the arguments state. Absent if they change no text of a file. */
  readonly change?: string | undefined;
  decision?: { readonly allowed: boolean; readonly reason: string };
  result?: ResultView;
  /** True if the call is a claim that was accepted. Such a call has no result. */
  isClaim?: boolean;
  /** The session of the agent that the call runs. */
  child?: string;
}

/** The result of a call. */
export interface ResultView {
  readonly seq: number;
  readonly at: number;
  readonly ok: boolean;
  readonly text: string;
  /** The text that the model got, if it is another text. */
  readonly shown: string | undefined;
  /** The kind of failure. */
  readonly failure: string | undefined;
}

/** A check that ran in an iteration. */
export interface CheckView {
  readonly seq: number;
  readonly check: string;
  readonly passed: boolean;
  readonly output: string;
  /** Milliseconds. */
  readonly duration: number;
  readonly when: string;
  readonly exitCode: number | undefined;
}

/** One iteration: a reply of the model, its calls, and the checks that ran. */
export interface IterationRow {
  readonly kind: "iteration";
  /** The number of the record of the reply. */
  readonly seq: number;
  readonly at: number;
  readonly iteration: number;
  /** The time at which the request began, or the time of the record before. */
  readonly asked: number | undefined;
  readonly calls: readonly CallView[];
  readonly text: string;
  readonly finish: string;
  readonly usage: Usage;
  readonly model: string | undefined;
  readonly cost: number;
  readonly checks: CheckView[];
  failures: readonly string[];
  /** The time at which the iteration ended. */
  ended: number | undefined;
}

/** Something that happened between iterations. */
export interface EventRow extends RecordWords {
  readonly kind: "event";
  readonly seq: number;
  readonly at: number;
  readonly type: JournalRecord["type"];
}

/** A line of a timeline. */
export type Row = IterationRow | EventRow;
