// Records: the entries of a journal, as plain data. They are appended as things happen and never change.

import type { Attachment } from "../data/attachment.js";
import type { Reply } from "../data/call.js";
import type { CheckTime, Receipt } from "../data/receipt.js";
import type { Definition } from "../data/definition.js";
import type { Principal } from "../data/principal.js";
import type { Failure } from "../data/failure.js";
import type { Json, JsonObject } from "../data/json.js";
import type { Basis, OpenableWall } from "../data/decision.js";
import type { Spent, LimitReason } from "./spent.js";
import type { RunEnding } from "../data/effect.js";

/** The current version of one note. */
export interface Note {
  /** `n1`, `n2` and so on, in the order in which the notes were added. */
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** True if the note no longer holds. A search still finds it, but it is not shown by itself. */
  readonly scratched: boolean;
}

/** The result of one call. Each call has exactly one. */
export interface JournalResult {
  readonly callId: string;
  readonly name: string;
  readonly ok: boolean;
  /** The complete text of the result. */
  readonly text: string;
  /** The text for the model, if it is shorter than the complete text. Default: `text`. */
  readonly shown?: string;
  /** Present if and only if `ok` is false. */
  readonly failure?: Failure;
  /** `outside` if the text has untrusted content from files, commands or the network. Absent otherwise. */
  readonly from?: "outside";
  /** The notes that the call wrote, in their new version. Default: none. */
  readonly notes?: readonly Note[];
  /** The files that go with the text. Default: none. */
  readonly attachments?: readonly Attachment[];
}

/** The input of a run, recorded before the run starts. */
export interface InputRecord {
  readonly type: "input";
  /** The run's number in the session, from 1. */
  readonly run: number;
  readonly text: string;
  /** The files that go with the text. Default: none. */
  readonly attachments?: readonly Attachment[];
  /** The id of the waiting call that this input answers, if there was one. */
  readonly answers?: string;
  /** The id of the call whose wait for an answer expired. Its result says so, and the text, if any, is a new input. */
  readonly lapses?: string;
  /** The id of the input or of the wish to go on, if its caller gave one (`inputId`), or if it came from the session's inbox. */
  readonly sent?: string;
  /** The time at which the input was given, in milliseconds since 1970, if its caller said so. It decides whether a call had expired. */
  readonly givenAt?: number;
  /** The person or program that gave the input, if its caller said so. */
  readonly by?: Principal;
  /**
   * A random part of the keys of this run's effects, so that they never repeat: not after the journal was deleted or restored from a copy,
   * and not in a branch of the session. Absent in older journals, whose keys have no such part.
   */
  readonly life?: string;
  /** The agent's definition. Absent if the session already has the same definition. */
  readonly definition?: Definition;
  /** The nonce that wraps results from outside in this run, so that their content can't end the wrapper. Absent if no tool brings any. */
  readonly nonce?: string;
  /** The notes of another session that this session begins with. Default: none. */
  readonly notes?: readonly Note[];
}

/** An interrupted run is resumed, in another process or later. */
export interface ResumeRecord {
  readonly type: "resume";
  /** The id of the wish to go on, if its caller gave one (`inputId`). */
  readonly sent?: string;
  /** The person or program that wished it, if the caller said so. The calls of the run are still of those whose words they follow. */
  readonly by?: Principal;
  /**
   * A random part at the end of the keys of the effects that begin from here on: the copy that a session was restored from may have been
   * made before this record. Absent in older journals.
   */
  readonly life?: string;
  /** The nonce as in `InputRecord`, if the run had none. */
  readonly nonce?: string;
  /** The agent's definition. Absent if the session already has the same definition. */
  readonly definition?: Definition;
}

/** A message that the user sent during a run. It is recorded between two iterations. */
export interface SteerRecord {
  readonly type: "steer";
  readonly text: string;
  /** The files that go with the text. Default: none. */
  readonly attachments?: readonly Attachment[];
  /** The id of the message in the session's inbox. */
  readonly sent: string;
  /** As in `InputRecord`. */
  readonly by?: Principal;
}

/** A reply of the model, recorded before any of its calls has an effect. */
export interface ReplyRecord {
  readonly type: "reply";
  readonly iteration: number;
  readonly reply: Reply;
  /** The amounts that the reply counts for the limits. Default: the tokens of `reply.usage`. */
  readonly spent?: Spent;
  /** The number of characters of the request: system prompt, tools and messages. Default: unknown. */
  readonly characters?: number;
  /** The time at which the request began, in milliseconds since 1970. Absent in older journals. */
  readonly asked?: number;
}

/** The permission's decision about a call. */
export interface DecisionRecord {
  readonly type: "decision";
  readonly callId: string;
  readonly allowed: boolean;
  readonly reason: string;
  /** The basis of the decision, if permission gave one. */
  readonly basis?: Basis;
  /** The walls that the decision opened for the call, if any. */
  readonly opens?: readonly OpenableWall[];
}

/** A call waits for an approval, so the run ends here. Its reply stays open until the answer. */
export interface ParkedRecord {
  readonly type: "parked";
  readonly callId: string;
  readonly name: string;
  /** The frozen input that permission judged, as JSON. */
  readonly input: Json;
  /** The JSON that the tool's schema reads as the input. Absent if the input is JSON itself. */
  readonly source?: Json;
  /** The reason why the call needs an approval, in words for people. */
  readonly reason: string;
  /** SHA-256 of the tool's name and the input, in hexadecimal. */
  readonly digest: string;
  /** The tool's own description of what the call would do, cut if it is long. Absent if the tool has none. */
  readonly preview?: string;
  /** The time after which no answer is accepted, in milliseconds since 1970. Absent without a deadline. */
  readonly expiresAt?: number;
  /** The number of different people who have to say yes. Default 1. */
  readonly quorum?: number;
}

/** The proof of an answer to a parked call. Its signature covers the answer and the other fields of the proof. */
export interface ApprovalProof {
  /** The name of the key that signed. */
  readonly key: string;
  /** The id of the session in which the answer was given. */
  readonly session: string;
  /** SHA-256 of the call as the journal showed it, in hexadecimal. */
  readonly call: string;
  /** SHA-256 of the salt and the principal, in hexadecimal. */
  readonly principal: string;
  readonly salt: string;
  /** The time of the signature, in milliseconds since 1970. */
  readonly at: number;
  /** SHA-256 of the approval before it in the session, in hexadecimal. */
  readonly before: string;
  /** The signature, in hexadecimal. */
  readonly signature: string;
}

/** The answer to a parked call. It is recorded before anything follows from it, and the run goes on. */
export interface ApprovalRecord {
  readonly type: "approval";
  /** The id of the parked call. */
  readonly answers: string;
  readonly allowed: boolean;
  /** The reason, if the answer gave one. */
  readonly reason?: string;
  /** True if a yes counts for the same call again. Default false. */
  readonly always?: boolean;
  /** The number of people whose yes the call still needs after this yes: it waits on. Default: the answer decides. */
  readonly missing?: number;
  /** The words that were given in place of an answer. They are a no. Absent otherwise. */
  readonly text?: string;
  /** The id of the answer, used as an input's id is. */
  readonly sent?: string;
  /** As in `InputRecord`. */
  readonly givenAt?: number;
  /** The person or program that approved or refused, if the caller said so. */
  readonly by?: Principal;
  /** The proof of the answer. Absent if the agent does not sign approvals. */
  readonly proof?: ApprovalProof;
  /** As in `ResumeRecord`. */
  readonly life?: string;
  /** The nonce as in `InputRecord`, if the run had none. */
  readonly nonce?: string;
  /** The agent's definition. Absent if the session already has the same definition. */
  readonly definition?: Definition;
}

/**
 * A running call asks the user, so the run ends here. Its reply stays open until the answer. Then the call runs again from its start, and
 * gets the answer where it asked.
 */
export interface QuestionRecord {
  readonly type: "question";
  readonly callId: string;
  /** The id that its answer names: `<call>/ask:<number of the call's question>`, from 0. */
  readonly id: string;
  readonly name: string;
  /** The question, as the tool's schema `asks` has it. */
  readonly value: Json;
  /** JSON Schema of the awaited reply. Absent if it is free text. */
  readonly replySchema?: JsonObject;
  /** The digest of the call that the reply allows or refuses. Absent if the reply allows nothing. */
  readonly approves?: string;
  /** The time after which no reply is accepted, in milliseconds since 1970. Absent without a deadline. */
  readonly expiresAt?: number;
  /** The tool's own data for its next run. Absent if it gave none. */
  readonly state?: Json;
}

/** The agent that a call runs has begun. The call's id is also the id of the agent's session. */
export interface ChildRecord {
  readonly type: "child";
  readonly callId: string;
}

/** The user's answer to a call that asked. It is recorded before anything follows from it, and the run goes on. */
export interface AnswerRecord {
  readonly type: "answer";
  /** The id of the question. */
  readonly answers: string;
  /** The answer: a text, or an object if the question has a schema. */
  readonly value: Json;
  /** The id of the answer, used as an input's id is. */
  readonly sent?: string;
  /** As in `InputRecord`. */
  readonly givenAt?: number;
  /** As in `InputRecord`. */
  readonly by?: Principal;
  /** As in `ResumeRecord`. */
  readonly life?: string;
  /** The nonce as in `InputRecord`, if the run had none. */
  readonly nonce?: string;
  /** The agent's definition. Absent if the session already has the same definition. */
  readonly definition?: Definition;
}

/** A call that may change something is about to run. If no result follows, the outcome of the call is unknown. */
export interface IntentRecord {
  readonly type: "intent";
  readonly callId: string;
}

/** The result of a call. */
export interface ResultRecord {
  readonly type: "result";
  readonly result: JournalResult;
}

/** The failure of a reply that has no call to answer. */
export interface ErrorContextRecord {
  readonly type: "error-context";
  readonly failure: Failure;
}

/** The task begins. `begun` has the return value of each check's `begin`, by the check's name. */
export interface BaselineRecord {
  readonly type: "baseline";
  readonly begun: Readonly<Record<string, Json>>;
}

/** The result of a check. */
export interface CheckRecord {
  readonly type: "check";
  readonly when: CheckTime;
  /** The claim that the check ran for. Present only if `when` is `claim`. */
  readonly callId?: string;
  readonly check: string;
  readonly passed: boolean;
  readonly output: string;
  /** The exit code, if the check was a command that exited. */
  readonly exitCode?: number;
  /** SHA-256 of the output, in hexadecimal. */
  readonly digest: string;
  /** The duration in milliseconds. */
  readonly duration: number;
  /** True if a model's opinion can make the check pass. Default false. */
  readonly judged?: boolean;
  /** Absent for a goal. */
  readonly kind?: "rule" | "advice";
  /** The parts of the check that have changed since the task began. Default: none. */
  readonly changed?: readonly string[];
  /** The amounts that the check's models used. Default: none. */
  readonly spent?: Spent;
}

/** Usage besides the run's own replies: of an agent that a tool ran, or of a summary. */
export interface SpendRecord {
  readonly type: "spend";
  readonly spent: Spent;
  /** The call whose agent it was. Absent for a summary, and in older journals. */
  readonly callId?: string;
}

/** A claim was accepted, so the run ends with it. */
export interface ClaimRecord {
  readonly type: "claim";
  readonly callId: string;
  readonly by: string;
  readonly ending: RunEnding;
  readonly value: unknown;
  /** The JSON that the tool's schema reads as the value. Absent if the value is JSON itself. */
  readonly source?: Json;
  readonly receipts: readonly Receipt[];
  /** The parts of the claim that the model declared unverified. Absent if it declared none. */
  readonly unverified?: readonly string[];
  /** JSON Schema of the awaited reply, if it has one. */
  readonly replySchema?: JsonObject;
  /** The time after which no reply is accepted, in milliseconds since 1970. Absent without a deadline. */
  readonly expiresAt?: number;
}

/** A call goes on in the background. Its result says no more than that. */
export interface BackgroundRecord {
  readonly type: "background";
  readonly callId: string;
  /** The model's name for the work: `bg-1`, the number counts in the session. */
  readonly work: string;
}

/** The work of a call in the background has ended. A notice tells the model. */
export interface BackgroundEndRecord {
  readonly type: "background-end";
  readonly callId: string;
  readonly work: string;
  readonly result: JournalResult;
}

/** A call passed the run to another agent, which speaks from here on. */
export interface HandOverRecord {
  readonly type: "hand-over";
  readonly callId: string;
  /** The names that lead to the agent that speaks from here on. Empty for the agent that the run began with. */
  readonly speakers: readonly string[];
  /** The text of the call's result. */
  readonly text: string;
  /** The definition of the agent that speaks from here on. */
  readonly definition: Definition;
  /** The nonce as in `InputRecord`, if the run had none. */
  readonly nonce?: string;
  /**
   * The estimated tokens of the prompt, if the next agent does not see the messages before this iteration, except pinned messages.
   * Absent if it sees all.
   */
  readonly tokens?: number;
}

/** An iteration has ended. */
export interface IterationRecord {
  readonly type: "iteration";
  readonly iteration: number;
  /** The signatures of its failures, in order; empty if there were none. */
  readonly failures: readonly string[];
  /** True if no call ran and all its failures were mistakes of form. The iteration then leaves the prompt when the model recovers. */
  readonly ephemeral: boolean;
  /** True if all its calls were of pollable tools, so that it does not count as a repetition. Default false. */
  readonly polled?: boolean;
  /** The work time of the run so far, in milliseconds. Default: unchanged. */
  readonly elapsed?: number;
}

/** An iteration was broken off, because its own time or the run's time was up. */
export interface ExpiryRecord {
  readonly type: "expiry";
  /** The time that was up, in words for people. */
  readonly message: string;
  /** The work time of the run so far, in milliseconds. */
  readonly elapsed: number;
}

/** The reason to close a run with one last iteration. */
export type ClosingReason = LimitReason | "check_passed";

/** The subject of a notice to the model between two iterations. */
export type Notice =
  /**
   * `baseline`: the checks before the run. `check`: failing checks now. `stall`: the model repeats itself without a failure. `tools`: a
   * source of tools has another list. `background`: work in the background has ended.
   */
  | { readonly about: "baseline" | "check" | "stall" | "tools" | "background" }
  /** A warning: most of this limit is used up. */
  | { readonly about: "limit"; readonly reason: LimitReason }
  /** The next iteration is the last and accepts only loop-breaking calls. `message` is for people. */
  | { readonly about: "closing"; readonly reason: ClosingReason; readonly message: string };

/** A notice to the model between two iterations. */
export type NoticeRecord = Notice & {
  readonly type: "notice";
  /** The text for the model. */
  readonly text: string;
  /** The agent's definition, if the notice is about its tools and changes it. */
  readonly definition?: Definition;
};

/** The fields of every step that shortens the prompt. Records that leave the prompt stay in the journal. */
interface Shortening {
  /** The step concerns messages made from records with a smaller sequence number, except pinned messages. */
  readonly before: number;
  /** The estimated tokens of the prompt after the step. */
  readonly tokens: number;
}

/** The prompt shows older results as stubs of one line each. */
export interface StubRecord extends Shortening {
  readonly type: "stub";
  /** The tool that the stubs name for reading the complete results. Default: none. */
  readonly reader?: string;
}

/** A step that removes replies of the model from the prompt and shows the model's notes instead. */
interface Replacing extends Shortening {
  /** The text of the notes for the model from here on. Default: there are no notes. */
  readonly notes?: string;
}

/** The prompt shows older messages as a summary. */
export interface FoldRecord extends Replacing {
  readonly type: "fold";
  /** The text of the summary for the model. */
  readonly summary: string;
  /** The author of the summary: a model, a rule without a model, or a hook. */
  readonly by: "model" | "rule" | "hook";
}

/** The prompt leaves out older groups of messages. */
export interface PruneRecord extends Replacing {
  readonly type: "prune";
}

/** A step that shortens the prompt. */
export type RewriteRecord = StubRecord | FoldRecord | PruneRecord;

/** The prompt does not fit the window, whatever is left out. No further request is possible. */
export interface OverflowRecord {
  readonly type: "overflow";
  /** The problem in words for people. */
  readonly message: string;
}

/** The end of a run. */
export interface OutcomeRecord {
  readonly type: "outcome";
  readonly status: OutcomeStatus;
  /** The reason of a stopped run, or the fault's code of a failed run. */
  readonly reason?: string;
  /** The reason in words for people, if the run stopped, failed or was aborted. Older sessions lack it for aborted runs. */
  readonly message?: string;
  /** The person or program that aborted the run. Absent if nobody said so, and for every other end. */
  readonly by?: Principal;
}

/**
 * The session is a copy of another session whose run had no end there. The run goes on only if somebody resumes it or gives it an input.
 */
export interface ForkRecord {
  readonly type: "fork";
  /** The session that was copied, and the number of its records that this session has: `s@12`. */
  readonly from: string;
}

/** The status with which a run ends. */
export type OutcomeStatus = "completed" | "waiting" | "stopped" | "aborted" | "failed";

/** The content of a record, without its sequence number and time. */
export type RecordBody =
  | InputRecord
  | ResumeRecord
  | SteerRecord
  | ReplyRecord
  | DecisionRecord
  | ParkedRecord
  | ApprovalRecord
  | QuestionRecord
  | AnswerRecord
  | ChildRecord
  | IntentRecord
  | ResultRecord
  | ErrorContextRecord
  | BaselineRecord
  | CheckRecord
  | SpendRecord
  | ClaimRecord
  | HandOverRecord
  | BackgroundRecord
  | BackgroundEndRecord
  | IterationRecord
  | ExpiryRecord
  | NoticeRecord
  | RewriteRecord
  | OverflowRecord
  | ForkRecord
  | OutcomeRecord;

/** The place of a record in its journal. */
export interface RecordPlace {
  /** The sequence number in the journal, from 0, without gaps. */
  readonly seq: number;
  /** The time of the record, in milliseconds since 1970. */
  readonly at: number;
}

/** A record with its sequence number and time. */
export type JournalRecord = RecordBody & RecordPlace;
