// The port for memory: it keeps the journal of a session and makes the prompt from it.

import type { PromptRewrite } from "./event.js";
import type { Message } from "../data/message.js";
import type { Model, WrittenReply } from "./model.js";
import type { JournalRecord, RewriteRecord } from "../journal/record.js";
import type { Session } from "../journal/session.js";

/** A request of a memory to a model, besides the run's own requests. */
export interface Consultation {
  readonly system: string;
  readonly text: string;
  /** Maximum time for the answer, in milliseconds. */
  readonly timeout: number;
}

/** A fold of the prompt: a summary is to replace older messages. */
export interface Folding {
  /** The messages that the summary replaces, oldest first. */
  readonly messages: readonly Message[];
  /** The estimated tokens of the whole prompt before the fold. */
  readonly tokens: number;
  /** The question to the model that writes the summary. Absent if a rule makes it: then there is no model to ask. */
  readonly question?: Pick<Consultation, "system" | "text">;
}

/** The context of one `recall`. */
export interface Recalling {
  readonly signal: AbortSignal;
  /** True if the provider refused the previous prompt as too long. The memory then has to leave out messages if it can. */
  readonly overflowed: boolean;
  /** True if the caller asked for a short prompt, whatever the window. It is no error if nothing can be left out. */
  readonly compact: boolean;
  /** True once a provider has counted the tokens of a prompt in this session. Until then `tokensOf` is a cautious estimate. */
  readonly measured: boolean;
  /** The name of the tool that reads results that the prompt leaves out; undefined if the agent has none. */
  readonly reader: string | undefined;
  /** Estimates the tokens of a request whose messages have this many characters (`sizeOf`), with its system prompt and tools. */
  tokensOf(characters: number): number;
  /**
   * Appends a record to the journal. When the promise resolves, the memory's own `append` has received the record.
   * @throws LastcallError `store` if the record can't be stored.
   */
  append(record: RewriteRecord): Promise<void>;
  /**
   * Asks a model. Its usage counts for the run's limits. Undefined if a limit forbids the request.
   * @throws the signal's reason if the run is aborted, the model's own error, or LastcallError `provider_unavailable`
   * if the answer takes too long.
   */
  consult(model: Model, asked: Consultation): Promise<WrittenReply | undefined>;
  /**
   * Passes a fold through the `fold` hooks of the agent, around `summarize`, which makes the text of the summary. Undefined if a hook
   * vetoes the fold.
   * @throws whatever a hook throws, and LastcallError `configuration` if a hook returns something else than a text.
   */
  fold(folding: Folding, summarize: (folding: Folding) => Promise<string>): Promise<string | undefined>;
}

/**
 * The journal of one session during a run, and the prompt made from it.
 *
 * Contract:
 * - `append` stores the record before it returns, or before its promise resolves, in the order of the calls. It throws if it
 *   can't store the record; then the action that the record announces does not happen.
 * - `recall` returns messages in which every call has exactly one result. They are valid until the next `append`. A message that
 *   stays in the prompt keeps its identity.
 * - `recall` yields a `prompt-rewrite` with the reason if the previous prompt is not a prefix of the new prompt.
 * - If `recall` decides to leave messages out, it first appends a record that says so. A memory that is opened again from the
 *   records then recalls the same prompt.
 * - `recall` throws a LastcallError `context_overflow` if the prompt does not fit and nothing more can be left out.
 * - `append` and `recall` never lose a record, even if the prompt leaves it out.
 */
export interface Memory {
  /** All records so far, oldest first. */
  readonly records: readonly JournalRecord[];
  append(record: JournalRecord): void | Promise<void>;
  recall(recalling: Recalling): AsyncGenerator<PromptRewrite, readonly Message[], void>;
}

/** Opens the memory of a session. A new session has no records. The factory does not change the session. */
export type MemoryFactory = (session: Session) => Memory;
