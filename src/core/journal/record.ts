// Records: the plain data a journal is made of. Appended as things happen, never changed.

import type { Reply } from "../data/call.js";
import type { CheckTime, Receipt } from "../data/receipt.js";
import type { Definition } from "../data/definition.js";
import type { Failure } from "../data/failure.js";
import type { Json, JsonObject } from "../data/json.js";
import type { LimitReason } from "../data/limit-reached.js";
import type { Note } from "../data/note.js";
import type { Basis } from "../data/decision.js";
import type { Spent } from "./spent.js";
import type { ToolEnding } from "../data/effect.js";

/** The one result of one call. */
export interface JournalResult {
  readonly callId: string;
  readonly name: string;
  readonly ok: boolean;
  /** What the call came to, whole. */
  readonly text: string;
  /** What the model reads, where that is less than the whole. Default: `text`. */
  readonly shown?: string;
  /** Present exactly where `ok` is false. */
  readonly failure?: Failure;
  /** `outside` where the text holds what files, commands or the network said: data, whatever it says. Default: it does not. */
  readonly from?: "outside";
  /** The notes that the call wrote, as they stand after it. Default: none. */
  readonly notes?: readonly Note[];
}

/** The user's words; they are recorded before the run they start. */
export interface InputRecord {
  readonly type: "input";
  /** The run's number in the session, from 1. */
  readonly run: number;
  readonly text: string;
  /** The call that waited for these words, whose result they are. */
  readonly answers?: string;
  /** The call that waited for an answer until its time was over: its result says so, and the words are new ones, if there are any. */
  readonly lapses?: string;
  /** The id under which they were sent to the session, where they came through its inbox. */
  readonly sent?: string;
  /** What the agent is made of, where the session does not say the same already. */
  readonly definition?: Definition;
  /** What wraps the results from outside in this run, so that nothing in them can end it. Absent where no tool brings any. */
  readonly nonce?: string;
  /** The notes of another session that this one begins with. Default: none. */
  readonly notes?: readonly Note[];
}

/** A run that its process left goes on, in another process or later. */
export interface ResumeRecord {
  readonly type: "resume";
  /** As in `InputRecord`, where the run had none. */
  readonly nonce?: string;
  /** What the agent is made of, where the session does not say the same already. */
  readonly definition?: Definition;
}

/** The user's words in the midst of a run, between two iterations. */
export interface SteerRecord {
  readonly type: "steer";
  readonly text: string;
  /** The id under which they were sent to the session. */
  readonly sent: string;
}

/** A reply, recorded before any of its calls has an effect. */
export interface ReplyRecord {
  readonly type: "reply";
  readonly iteration: number;
  readonly reply: Reply;
  /** What it counts for the limits. Default: the tokens of `reply.usage`. */
  readonly spent?: Spent;
  /** Characters of the request: system prompt, tools and messages. Default: unknown. */
  readonly characters?: number;
}

/** What permission said of a call. */
export interface DecisionRecord {
  readonly type: "decision";
  readonly callId: string;
  readonly allowed: boolean;
  readonly reason: string;
  /** What it goes by, where permission said so. */
  readonly basis?: Basis;
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

/** What the checks wanted to be reminded of, by their names: the task begins. */
export interface BaselineRecord {
  readonly type: "baseline";
  readonly begun: Readonly<Record<string, Json>>;
}

/** A check was run. */
export interface CheckRecord {
  readonly type: "check";
  readonly when: CheckTime;
  /** The claim it was run for; present at a claim alone. */
  readonly callId?: string;
  readonly check: string;
  readonly passed: boolean;
  readonly output: string;
  /** The exit code, where the check was a command that exited. */
  readonly exitCode?: number;
  /** SHA-256 of the output, hexadecimal. */
  readonly digest: string;
  /** Milliseconds. */
  readonly duration: number;
  /** True where a model's opinion was enough. Default false. */
  readonly judged?: boolean;
  /** What the check is made of and was changed since the task began. Default: nothing. */
  readonly changed?: readonly string[];
  /** What asking a model cost. Default: nothing. */
  readonly spent?: Spent;
}

/** Something besides a reply was paid for: an agent that a tool ran. */
export interface SpendRecord {
  readonly type: "spend";
  readonly spent: Spent;
}

/** A claim was accepted: the run ends with it. */
export interface ClaimRecord {
  readonly type: "claim";
  readonly callId: string;
  readonly by: string;
  readonly ending: Exclude<ToolEnding, "never">;
  readonly value: unknown;
  readonly receipts: readonly Receipt[];
  /** JSON Schema of the reply that is awaited, where it has one. */
  readonly replySchema?: JsonObject;
  /** Milliseconds since 1970 from which on no reply is awaited any more, where there is such a time. */
  readonly expiresAt?: number;
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
  /** Milliseconds that the run has worked so far. Default: as many as before. */
  readonly elapsed?: number;
}

/** An iteration was broken off, because its time or the run's was up. */
export interface ExpiryRecord {
  readonly type: "expiry";
  /** For people. */
  readonly message: string;
  /** Milliseconds that the run has worked so far. */
  readonly elapsed: number;
}

/** What a run can be closed for, with one last iteration. */
export type ClosingReason = LimitReason | "check_passed";

/** What the harness tells the model between two iterations, and why. */
export type Notice =
  /** What the checks said before anything was done; what they say now; that the model repeats itself without a failure. */
  | { readonly about: "baseline" | "check" | "stall" }
  /** The soft warning: the greater part of it is used up. */
  | { readonly about: "limit"; readonly reason: LimitReason }
  /** The next iteration is the last, and takes loop-breaking calls alone. `message` is for people. */
  | { readonly about: "closing"; readonly reason: ClosingReason; readonly message: string };

/** The model is told something between two iterations. */
export type NoticeRecord = Notice & {
  readonly type: "notice";
  /** What the model reads. */
  readonly text: string;
};

/** What every step that shortens the prompt says. The records that it leaves out of the prompt stay. */
interface Shortening {
  /** What was made of records with smaller numbers is concerned, what is pinned left out. */
  readonly before: number;
  /** Tokens that the prompt is likely to take after it. */
  readonly tokens: number;
}

/** Older results are shown as stubs, one line each. */
export interface StubRecord extends Shortening {
  readonly type: "stub";
  /** The tool that the stubs name as the way to read the whole. Default: none. */
  readonly reader?: string;
}

/** A step that takes words of the model out of the prompt, and shows what it noted instead. */
interface Replacing extends Shortening {
  /** What the model reads of its notes from here on. Default: nothing, there are none. */
  readonly notes?: string;
}

/** What is older is shown as a summary. */
export interface FoldRecord extends Replacing {
  readonly type: "fold";
  /** What the model reads. */
  readonly summary: string;
  /** Who wrote it. */
  readonly by: "model" | "rule";
}

/** Groups that are older are not shown at all. */
export interface PruneRecord extends Replacing {
  readonly type: "prune";
}

/** A step that shortens the prompt. */
export type RewriteRecord = StubRecord | FoldRecord | PruneRecord;

/** The prompt does not fit the window, whatever is left out: no reply can be asked for. */
export interface OverflowRecord {
  readonly type: "overflow";
  /** For people. */
  readonly message: string;
}

/** How a run ended. */
export interface OutcomeRecord {
  readonly type: "outcome";
  readonly status: OutcomeStatus;
  /** Why it stopped; the fault's code where it failed. */
  readonly reason?: string;
  /** For people, where it stopped, failed or was aborted; sessions of before have none where they were aborted. */
  readonly message?: string;
}

/** The ways in which a run ends. */
export type OutcomeStatus = "completed" | "waiting" | "stopped" | "aborted" | "failed";

/** What can be recorded. */
export type RecordBody =
  | InputRecord
  | ResumeRecord
  | SteerRecord
  | ReplyRecord
  | DecisionRecord
  | IntentRecord
  | ResultRecord
  | ErrorContextRecord
  | BaselineRecord
  | CheckRecord
  | SpendRecord
  | ClaimRecord
  | IterationRecord
  | ExpiryRecord
  | NoticeRecord
  | RewriteRecord
  | OverflowRecord
  | OutcomeRecord;

/** A record with its place and time. */
export type JournalRecord = RecordBody & {
  /** Its place in the journal, from 0, without gaps. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
};
