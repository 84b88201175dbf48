// A run while it goes on: its parts, its journal and the state that follows from it.

import type { Budget } from "../ports/budget.js";
import type { Reply } from "../data/call.js";
import type { Check } from "../ports/check.js";
import type { CircuitBounds } from "../journal/circuit.js";
import type { Definition } from "../data/definition.js";
import { LastcallError, explain } from "../data/fault.js";
import type { Hook } from "../ports/hook.js";
import { Ledger } from "../journal/ledger.js";
import type { Limits } from "../ports/limit.js";
import type { Memory } from "../ports/memory.js";
import type { Lease, Session } from "../journal/session.js";
import type { Model } from "../ports/model.js";
import { everyOf, type Permission } from "../ports/permission.js";
import { Purse } from "./purse.js";
import type { JournalRecord, RecordBody } from "../journal/record.js";
import type { Redactor } from "../secret/redact.js";
import type { Runtime } from "../time/runtime.js";
import { redactRecord } from "./redaction.js";
import { projectUsage, spentOn, type Price, type Spent } from "../journal/spent.js";
import type { State } from "../journal/state.js";
import { replay, step } from "../journal/step.js";
import type { Toolbox } from "../ports/toolbox.js";
import type { WorkTime } from "../time/work-time.js";

/** What an agent is made of, complete and checked. */
export interface Parts {
  readonly model: Model;
  readonly system: string;
  readonly definition: Definition;
  readonly tools: Toolbox;
  readonly permission: Permission;
  readonly checks: readonly Check[];
  readonly maxAttempts: number;
  readonly limits: Limits;
  /** The price of the model, where there is one. */
  readonly price: Price | undefined;
  /** Characters of the system prompt and the tools. */
  readonly overhead: number;
  readonly hooks: readonly Hook[];
  readonly circuit: CircuitBounds;
  /** Characters that the prompt shows of one result; undefined for all. */
  readonly clip: number | undefined;
  /** The call that a reply of words alone is taken as: the tool, and the field that the words go to. */
  readonly onText: { readonly tool: string; readonly field: string } | undefined;
  /** What leaves the run passes through it. */
  readonly secrets: Redactor;
  readonly runtime: Runtime;
}

/** What a run is opened with. */
export interface Opening {
  readonly id: string;
  readonly memory: Memory;
  readonly signal: AbortSignal;
  /** What the run that this one is a part of has left, if there is one. */
  readonly budget: Budget | undefined;
  /** What a call of the run that this one is a part of has to pass, if there is one. */
  readonly permission: Permission | undefined;
  /** The time that the run works; it may have started with the stream. */
  readonly time: WorkTime;
  /** Where the records are kept besides the memory, if they are. */
  readonly lease: Lease | undefined;
  /** True where the first prompt is to be short. */
  readonly compact: boolean;
}

/** What the next request of such a run is likely to use. */
export function projected({ prompt }: State, { overhead, price }: Pick<Parts, "overhead" | "price">): Spent {
  return spentOn(projectUsage(prompt, overhead), price);
}

/** One run on one session. What changes is the journal, with it the state, and whose turn it is. */
export class Run {
  readonly parts: Parts;
  readonly memory: Memory;
  readonly time: WorkTime;
  readonly purse: Purse;
  /** What a call has to pass: the agent's own, and those of the runs around it. */
  readonly permission: Permission;
  /** The prompt as it was recalled last. */
  readonly ledger: Ledger = new Ledger();
  readonly lease: Lease | undefined;
  /** True until a prompt was asked for, where the first one is to be short. */
  compacts: boolean;
  /** Aborts when the run does, and within an iteration also when the time for it is up. */
  signal: AbortSignal;
  readonly #id: string;
  #state: State;
  #reply: Reply | undefined;
  /** Settles when the appends so far are done: agents that tools run append to this journal as well. */
  #appended: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts, { id, memory, signal, budget, permission, time, lease, compact }: Opening) {
    this.parts = parts;
    this.signal = signal;
    this.memory = memory;
    this.permission = permission === undefined ? parts.permission : everyOf([parts.permission, permission]);
    this.time = time;
    this.lease = lease;
    this.compacts = compact;
    this.#id = id;
    this.#state = replay(memory.records);
    this.#reply = memory.records.findLast((record) => record.type === "reply")?.reply;
    const state = (): State => this.#state;
    const charge = (spent: Spent): Promise<unknown> => this.append({ type: "spend", spent });
    this.purse = new Purse({ state, limits: parts.limits, charge }, budget);
  }

  get state(): State {
    return this.#state;
  }

  /** The session as it stands. */
  get session(): Session {
    return { version: 1, id: this.#id, records: this.memory.records };
  }

  /** Lets timers and signals through, and throws the signal's reason where it aborted. */
  async turn(): Promise<void> {
    await this.parts.runtime.turn();
    this.signal.throwIfAborted();
  }

  /** True where the input with this id is in the journal. Asked for what still lies in the inbox, which is seldom. */
  hasTaken(sent: string): boolean {
    return this.memory.records.some((record) => "sent" in record && record.sent === sent);
  }

  /** The last reply. */
  get reply(): Reply {
    if (this.#reply === undefined) throw new LastcallError("bug", "There is no reply to follow from.");
    return this.#reply;
  }

  /** The key of an effect of this run: `key("call:3:0")` is `<session>/<run>/call:3:0`. */
  key(effect: string): string {
    return `${this.#id}/${String(this.#state.run)}/${effect}`;
  }

  /**
   * Appends one record and steps the state.
   * @throws LastcallError `store` where the memory can't keep it; then the state is as it was.
   */
  append(body: RecordBody): Promise<JournalRecord> {
    const appending = this.#appended.then(() => this.#write(body));
    this.#appended = appending.catch(() => undefined);
    return appending;
  }

  async #write(body: RecordBody): Promise<JournalRecord> {
    // Whoever wrote the record before may have had another clock.
    const at = Math.max(this.parts.runtime.now(), this.memory.records.at(-1)?.at ?? 0);
    const record = { ...redactRecord(this.parts.secrets, body), seq: this.#state.seq, at };
    try {
      await this.lease?.append(record);
      await this.memory.append(record);
    } catch (thrown) {
      throw new LastcallError("store", `The journal could not be written: ${explain(thrown)}`, { cause: thrown });
    }
    this.#state = step(this.#state, record);
    if (record.type === "reply") this.#reply = record.reply;
    return record;
  }
}
