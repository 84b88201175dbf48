// A run while it goes on: its parts, its journal and the state that follows from it.

import type { Check } from "./check.js";
import type { CircuitBounds } from "./circuit.js";
import { LastcallError, explain } from "./fault.js";
import type { Hook } from "./hook.js";
import type { Limit } from "./limit.js";
import type { Memory } from "./memory.js";
import type { Session } from "./session.js";
import type { Model } from "./model.js";
import type { Permission } from "./permission.js";
import type { JournalRecord, RecordBody } from "./record.js";
import type { Runtime } from "./runtime.js";
import { fold, step, type State } from "./state.js";
import type { Toolbox } from "./toolbox.js";

/** What an agent is made of, complete and checked. */
export interface Parts {
  readonly model: Model;
  readonly system: string;
  readonly tools: Toolbox;
  readonly permission: Permission;
  readonly checks: readonly Check[];
  readonly maxAttempts: number;
  readonly limits: readonly Limit[];
  readonly hooks: readonly Hook[];
  readonly circuit: CircuitBounds;
  /** The call that a reply of words alone is taken as: the tool, and the field that the words go to. */
  readonly onText: { readonly tool: string; readonly field: string } | undefined;
  readonly runtime: Runtime;
}

/** One run on one session. The only thing that changes is the journal, and with it the state. */
export class Run {
  readonly parts: Parts;
  readonly signal: AbortSignal;
  readonly memory: Memory;
  readonly #id: string;
  #state: State;

  constructor(parts: Parts, id: string, memory: Memory, signal: AbortSignal) {
    this.parts = parts;
    this.signal = signal;
    this.memory = memory;
    this.#id = id;
    this.#state = fold(memory.records);
  }

  get state(): State {
    return this.#state;
  }

  /** The session as it stands. */
  get session(): Session {
    return { version: 1, id: this.#id, records: this.memory.records };
  }

  /** The key of an effect of this run: `key("call:3:0")` is `<session>/<run>/call:3:0`. */
  key(effect: string): string {
    return `${this.#id}/${String(this.#state.run)}/${effect}`;
  }

  /**
   * Appends one record and steps the state.
   * @throws LastcallError `store` where the memory can't keep it; then the state is as it was.
   */
  async append(body: RecordBody): Promise<JournalRecord> {
    const record = { ...body, seq: this.#state.seq, at: this.parts.runtime.now() };
    try {
      await this.memory.append(record);
    } catch (thrown) {
      throw new LastcallError("store", `The journal could not be written: ${explain(thrown)}`, { cause: thrown });
    }
    this.#state = step(this.#state, record);
    return record;
  }
}
