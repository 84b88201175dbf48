// The port for memory: the journal of a session, and the prompt that is made from it.

import type { PromptRewrite } from "./event.js";
import type { Message } from "../data/message.js";
import type { Model, WrittenReply } from "./model.js";
import type { JournalRecord, RewriteRecord } from "../journal/record.js";
import type { Session } from "../journal/session.js";

/** What a memory asks a model besides the run's own requests. */
export interface Consultation {
  readonly system: string;
  readonly text: string;
  /** Milliseconds that the model may take. */
  readonly timeout: number;
}

/** What a prompt is asked for with. */
export interface Recalling {
  readonly signal: AbortSignal;
  /** True where the provider has refused what was recalled last as too long. Then something has to be left out, if anything can. */
  readonly overflowed: boolean;
  /** True where somebody wants the prompt short, whatever the window: what can be left out is, and nothing is no error. */
  readonly compact: boolean;
  /** True where a provider has counted the tokens of a prompt of the session: before, sizes are a careful guess. */
  readonly measured: boolean;
  /** The tool by which the model can read what is left out; undefined where the agent has none. */
  readonly reader: string | undefined;
  /** Tokens that a request is likely to take whose messages have so many characters (`sizeOf`), system prompt and tools included. */
  tokensOf(characters: number): number;
  /**
   * Appends a record: it has come back through the memory's own `append` when the promise resolves.
   * @throws LastcallError `store` where it can't be kept.
   */
  append(record: RewriteRecord): Promise<void>;
  /**
   * Asks a model on the run's account; undefined where a limit forbids it.
   * @throws the signal's reason where the run is aborted; else whatever the model throws, or LastcallError
   * `provider_unavailable` where it takes too long.
   */
  consult(model: Model, asked: Consultation): Promise<WrittenReply | undefined>;
}

/**
 * The journal of one session while a run goes on, and the prompt made from it.
 *
 * Contract: `append` keeps the record before it returns (or before its promise resolves), in the order of the calls, and
 * throws where it can't: then what the record announces does not happen. `recall` returns messages in which every call
 * has exactly one result, valid until the next `append`; messages keep their identity as long as they stand. Where what
 * it returned before is not a prefix of what it returns now, it yields a `prompt-rewrite` that says why. What it leaves out
 * by its own choice it leaves out by a record that says so, appended before the prompt is returned, so that a memory opened
 * anew from the records recalls the same; where nothing more can be left out and it would not fit, it throws a LastcallError
 * `context_overflow`. Neither loses a record, whatever is left out of the prompt.
 */
export interface Memory {
  /** Everything appended so far, oldest first. */
  readonly records: readonly JournalRecord[];
  append(record: JournalRecord): void | Promise<void>;
  recall(recalling: Recalling): AsyncGenerator<PromptRewrite, readonly Message[], void>;
}

/** Opens the memory of a session; an empty session has no records. The session given is not changed. */
export type MemoryFactory = (session: Session) => Memory;
