// The timeline: the rows that a session is shown as, made from its records one by one.

import { argumentsOf, type JournalRecord } from "../../core/index.js";
import { recordWords, statedChange } from "../../core/internal.js";
import type { CallView, CheckView, IterationRow, Row } from "./row.js";

/** The rows of a session. Records are added in their order, and each costs the same, however long the session is. */
export class Timeline {
  readonly rows: Row[] = [];
  readonly #records: JournalRecord[] = [];
  #iteration: IterationRow | undefined;
  #calls = new Map<string, CallView>();

  get records(): readonly JournalRecord[] {
    return this.#records;
  }

  /** The number of the last record; -1 before the first. */
  get last(): number {
    return this.#records.at(-1)?.seq ?? -1;
  }

  /** The iterations among the rows. */
  get iterations(): readonly IterationRow[] {
    return this.rows.filter((row): row is IterationRow => row.kind === "iteration");
  }

  add(record: JournalRecord): void {
    const before = this.#records.at(-1);
    this.#records.push(record);
    const { type } = record;
    if (type === "reply") this.#begin(record, before?.at);
    else if (type === "decision") {
      const { allowed, reason } = record;
      this.#call(record.callId, (call) => (call.decision = { allowed, reason }));
    } else if (type === "result") this.#end(record);
    else if (type === "child") this.#call(record.callId, (call) => (call.child = record.callId));
    else if (type === "check") this.#check(record);
    else if (type === "iteration") {
      if (this.#iteration !== undefined)
        Object.assign(this.#iteration, { failures: record.failures, ended: record.at });
    } else if (type === "claim") {
      this.#call(record.callId, (call) => (call.isClaim = true));
      this.#tell(record);
    } else this.#tell(record);
    if (type === "outcome") this.#iteration = undefined;
  }

  #begin(record: Extract<JournalRecord, { readonly type: "reply" }>, before: number | undefined): void {
    const { reply, seq, at, iteration, asked = before, spent } = record;
    const calls = reply.calls.map((call): CallView => ({
      ...{ id: call.id, name: call.name, arguments: argumentsOf(call) },
      change: call.type === "call" ? statedChange(call.name, call.input)?.join("\n") : undefined,
    }));
    this.#iteration = {
      kind: "iteration",
      ...{ seq, at, iteration, asked, calls, text: reply.text, finish: reply.finish, usage: reply.usage },
      ...{ model: reply.model, cost: spent?.cost ?? 0, checks: [], failures: [], ended: undefined },
    };
    this.#calls = new Map(calls.map((call) => [call.id, call]));
    this.rows.push(this.#iteration);
  }

  #call(id: string, change: (call: CallView) => void): void {
    const call = this.#calls.get(id);
    if (call !== undefined) change(call);
  }

  #end({ result, seq, at }: Extract<JournalRecord, { readonly type: "result" }>): void {
    const { ok, text, shown, failure } = result;
    this.#call(result.callId, (call) => (call.result = { seq, at, ok, text, shown, failure: failure?.kind }));
  }

  #check(record: Extract<JournalRecord, { readonly type: "check" }>): void {
    const { seq, check, passed, output, duration, when, exitCode } = record;
    const view: CheckView = { seq, check, passed, output, duration, when, exitCode };
    if (this.#iteration !== undefined) this.#iteration.checks.push(view);
    else this.#tell(record);
  }

  /** Adds a row for a record that stands for itself. */
  #tell(record: JournalRecord): void {
    const words = recordWords(record);
    const { seq, at, type } = record;
    if (words !== undefined) this.rows.push({ kind: "event", seq, at, type, ...words });
  }
}
