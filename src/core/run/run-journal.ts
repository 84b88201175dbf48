// The journal of a run in progress: appends one record at a time and keeps the state that follows from the records.

import type { Reply } from "../data/call.js";
import { LastcallError, explain } from "../data/fault.js";
import { keptReply } from "../data/message.js";
import { soundData } from "../data/json.js";
import type { JournalRecord, RecordBody } from "../journal/record.js";
import type { Lease } from "../journal/session.js";
import type { State } from "../journal/state.js";
import { replay, step } from "../journal/step.js";
import type { Memory } from "../ports/memory.js";
import type { Redactor } from "../secret/redact.js";
import type { Runtime } from "../time/runtime.js";
import { redactRecord } from "./redaction.js";

/** The places that records are written to, and the parts that complete a record. */
export interface JournalParts {
  readonly memory: Memory;
  /** Stores each record before the memory gets it; undefined if the session is not stored. */
  readonly lease: Lease | undefined;
  readonly secrets: Redactor;
  readonly runtime: Pick<Runtime, "now">;
}

/** Starts with the records of the memory. */
export class RunJournal {
  readonly #parts: JournalParts;
  #state: State;
  #reply: Reply | undefined;
  #least = 0;
  /** The last append. Agents that tools run append to this journal too, so appends can overlap. */
  #lastAppend: Promise<unknown> = Promise.resolve();
  /** The number of appends that have not settled. */
  #open = 0;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    const { records } = parts.memory;
    this.#state = replay(records);
    this.#reply = records.findLast((record) => record.type === "reply")?.reply;
  }

  /** The state after the last record. */
  get state(): State {
    return this.#state;
  }

  /** The last reply; undefined if no record holds one. */
  get reply(): Reply | undefined {
    return this.#reply;
  }

  /** The time of the next record, in milliseconds since 1970: never before the last record, whose writer may have had another clock. */
  get now(): number {
    const { memory, runtime } = this.#parts;
    return Math.max(runtime.now(), memory.records.at(-1)?.at ?? 0, this.#least);
  }

  /** No later record is from before this time: it has passed by the clock of somebody else. */
  notBefore(time: number): void {
    this.#least = time;
  }

  /**
   * Redacts, mends, numbers and appends one record, then steps the state. Every text enters the journal here, so none has half a character.
   * Appends run one after another.
   * @throws LastcallError `store` if the lease or the memory cannot store the record; the state then stays the same.
   */
  append(body: RecordBody): Promise<JournalRecord> {
    const write = (): Promise<JournalRecord> => this.#write(body);
    // Mostly there is nothing to wait for.
    this.#open += 1;
    const appending = this.#open === 1 ? write() : this.#lastAppend.then(write, write);
    this.#lastAppend = appending;
    return appending;
  }

  async #write(body: RecordBody): Promise<JournalRecord> {
    const { memory, lease, secrets } = this.#parts;
    try {
      const redacted = redactRecord(secrets, body);
      const whole = redacted.type === "reply" ? { ...redacted, reply: keptReply(redacted.reply) } : soundData(redacted);
      const record = { ...whole, seq: this.#state.seq, at: this.now };
      try {
        if (lease !== undefined) await lease.append(record);
        await memory.append(record);
      } catch (thrown) {
        throw new LastcallError("store", `The journal could not be written: ${explain(thrown)}`, { cause: thrown });
      }
      this.#state = step(this.#state, record);
      if (record.type === "reply") this.#reply = record.reply;
      return record;
    } finally {
      this.#open -= 1;
    }
  }
}
