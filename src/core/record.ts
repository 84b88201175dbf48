// Records: the plain data a journal is made of. Appended as things happen, never changed.

import type { Reply } from "./call.js";
import type { Receipt } from "./check.js";
import type { Failure } from "./failure.js";
import type { Ending } from "./tool.js";

/** The one result of one call. */
export interface JournalResult {
  readonly callId: string;
  readonly name: string;
  readonly ok: boolean;
  /** What the model reads. */
  readonly text: string;
  /** Present exactly where `ok` is false. */
  readonly failure?: Failure;
}

/** The user's words; they are recorded before the run they start. */
export interface InputRecord {
  readonly type: "input";
  /** The run's number in the session, from 1. */
  readonly run: number;
  readonly text: string;
  /** The call that waited for these words, whose result they are. */
  readonly answers?: string;
}

/** A reply, recorded before any of its calls has an effect. */
export interface ReplyRecord {
  readonly type: "reply";
  readonly iteration: number;
  readonly reply: Reply;
}

/** What permission said of a call. */
export interface DecisionRecord {
  readonly type: "decision";
  readonly callId: string;
  readonly allowed: boolean;
  readonly reason: string;
}

/** A call that may change something is about to run; without a result after it, its outcome is unknown. */
export interface IntentRecord {
  readonly type: "intent";
  readonly callId: string;
}

/** A call's result. */
export interface ResultRecord {
  readonly type: "result";
  readonly result: JournalResult;
}

/** A failure of a reply that has no call to answer. */
export interface ErrorContextRecord {
  readonly type: "error-context";
  readonly failure: Failure;
}

/** A check was run at a claim. */
export interface CheckRecord {
  readonly type: "check";
  readonly callId: string;
  readonly check: string;
  readonly passed: boolean;
  readonly output: string;
  /** The exit code, where the check was a command that exited. */
  readonly exitCode?: number;
  /** SHA-256 of the output, hexadecimal. */
  readonly digest: string;
  /** Milliseconds. */
  readonly duration: number;
}

/** A claim was accepted: the run ends with it. */
export interface ClaimRecord {
  readonly type: "claim";
  readonly callId: string;
  readonly by: string;
  readonly ending: Exclude<Ending, "never">;
  readonly value: unknown;
  readonly receipts: readonly Receipt[];
}

/** An iteration is over. */
export interface IterationRecord {
  readonly type: "iteration";
  readonly iteration: number;
  /** The signatures of its failures, in order; empty for an iteration without any. */
  readonly failures: readonly string[];
  /** True where nothing ran and all its failures were mistakes of form: it leaves the prompt once the model recovers. */
  readonly ephemeral: boolean;
  /** True where all its calls were of pollable tools, so that it is no repetition. Default false. */
  readonly polled?: boolean;
}

/** The model is told, between two iterations, that it repeats itself without a failure. */
export interface NudgeRecord {
  readonly type: "nudge";
  /** What the model reads. */
  readonly text: string;
}

/** How a run ended. */
export interface OutcomeRecord {
  readonly type: "outcome";
  readonly status: "completed" | "waiting" | "stopped" | "aborted" | "failed";
  readonly reason?: string;
}

/** What can be recorded. */
export type RecordBody =
  | InputRecord
  | ReplyRecord
  | DecisionRecord
  | IntentRecord
  | ResultRecord
  | ErrorContextRecord
  | CheckRecord
  | ClaimRecord
  | IterationRecord
  | NudgeRecord
  | OutcomeRecord;

/** A record with its place and time. */
export type JournalRecord = RecordBody & {
  /** Its place in the journal, from 0, without gaps. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
};
