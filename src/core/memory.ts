// The port for memory: the journal of a session, and the prompt that is made from it.

import type { PromptRewrite } from "./event.js";
import type { Message } from "./message.js";
import type { JournalRecord } from "./record.js";
import type { Session } from "./session.js";

/**
 * The journal of one session while a run goes on, and the prompt made from it.
 *
 * Contract: `append` keeps the record before it returns (or before its promise resolves), in the order of the calls, and
 * throws where it can't: then what the record announces does not happen. `recall` returns messages in which every call
 * has exactly one result, valid until the next `append`; messages keep their identity as long as they stand. Where what
 * it returned before is not a prefix of what it returns now, it yields a `prompt-rewrite` that says why. Neither loses a
 * record, whatever is left out of the prompt.
 */
export interface Memory {
  /** Everything appended so far, oldest first. */
  readonly records: readonly JournalRecord[];
  append(record: JournalRecord): void | Promise<void>;
  recall(signal: AbortSignal): AsyncGenerator<PromptRewrite, readonly Message[], void>;
}

/** Opens the memory of a session; an empty session has no records. The session given is not changed. */
export type MemoryFactory = (session: Session) => Memory;
