// The spans that a journal tells: reads one record after the other, and keeps what is open.

import type { JournalRecord, Session, State } from "../../core/index.js";
import { replay } from "../../core/index.js";
import { beginsRun, effectKey, step, type Beginning } from "../../core/internal.js";
import type { SpanIds } from "../data/api.js";
import {
  acceptedClaim,
  describeCall,
  describeCheck,
  describeReply,
  describeRequest,
  describeResult,
  describeVerdict,
} from "../describe/describe-effect.js";
import { describeEnding, describeRun, type RunFacts } from "../describe/describe-run.js";
import { type Privacy, type SpanEnd, type SpanStart } from "../describe/span-parts.js";
import { partKey, spanIdOf, traceIdOf } from "../data/ids.js";
import { attribute } from "../data/names.js";
import { runEvent } from "../describe/run-events.js";
import { DescribedTools } from "./described-tools.js";
import { endingIn, isTorn, keyOfRun, type Of } from "./parts-of-runs.js";
import { SpanList, type Draft, type SpanData } from "./span-data.js";

/** A call of the last reply that has no result yet. */
interface OpenCall {
  readonly about: SpanStart;
  /** The time when it was decided, or when its first check began; undefined before. */
  start: number | undefined;
}

/** The agent's name, the span around the runs, and what is recorded of texts. */
export interface SpanOptions {
  readonly agent: string | undefined;
  readonly parent: SpanIds | undefined;
  readonly privacy: Privacy;
}

/** Reads the records in order, and keeps what is open. */
export class JournalSpans {
  readonly #session: Session;
  readonly #options: SpanOptions;
  readonly #spans = new SpanList();
  readonly #calls = new Map<string, OpenCall>();
  readonly #tools = new DescribedTools();
  #facts: RunFacts | undefined;
  /** The span of the part of the run that one process did. */
  #part: Draft | undefined;
  /** True if the part has no outcome, because its process died. */
  #isTorn = false;
  #state: State = replay([]);
  #lastAt = 0;
  /** In a torn part, the time of the last record before the next process wrote that its calls were interrupted; undefined before. */
  #brokeOffAt: number | undefined;

  constructor(session: Session, options: SpanOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Reads one record. */
  take(record: JournalRecord): void {
    if (beginsRun(record)) this.#begin(record);
    this.#state = step(this.#state, record);
    if (record.type === "reply") this.#reply(record);
    else if (record.type === "decision" || record.type === "intent") this.#startCall(record.callId, record.at);
    else if (record.type === "check") this.#check(record);
    else if (record.type === "result") this.#result(record);
    else if (record.type === "question") this.#ask(record);
    else if (record.type === "claim" || record.type === "hand-over")
      this.#endCall(record.callId, record.at, acceptedClaim);
    else if (record.type === "outcome") this.#end(record);
    else this.#note(record);
    this.#lastAt = record.at;
  }

  /** Ends what is open, and returns the spans in the order of their starts, a parent before its children. */
  finish(): readonly SpanData[] {
    for (const [id, { start }] of this.#calls) if (start !== undefined) this.#endCall(id, this.#lastAt, unfinished);
    this.#breakOff();
    return this.#spans.sorted();
  }

  get #privacy(): Privacy {
    return this.#options.privacy;
  }

  #begin(record: Beginning): void {
    this.#breakOff();
    const isResumed = record.type !== "input";
    if (!isResumed) this.#calls.clear();
    // A call that was at work is decided again.
    for (const call of this.#calls.values()) call.start = undefined;
    this.#tools.take(record.definition);
    const before = this.#facts;
    const key = isResumed && before !== undefined ? before.key : keyOfRun(this.#session, record);
    const model = record.definition?.model ?? before?.model ?? "";
    const facts = { key, session: this.#session.id, agent: this.#options.agent, model, provider: undefined };
    this.#facts = facts;
    this.#isTorn = isTorn(this.#session.records, record);
    this.#part = {
      key: partKey(key, record),
      start: record.at,
      about: describeRun(facts, record, this.#privacy),
      events: [],
      links: isResumed ? [{ traceId: this.#traceId(key), spanId: spanIdOf(key) }] : [],
    };
  }

  #reply({ at, iteration, reply }: Of<"reply"> & JournalRecord): void {
    if (this.#facts === undefined) return;
    const name = this.#state.closing !== undefined ? "closing" : String(iteration);
    const key = effectKey(this.#facts.key, `model:${name}`, this.#state);
    const about = describeRequest(this.#facts, { key, iteration }, this.#privacy);
    this.#add({ key, start: this.#lastAt, about, events: [], links: [] }, at, describeReply(reply, this.#privacy));
    this.#calls.clear();
    for (const call of reply.calls) {
      const place = { session: this.#session.id, description: this.#tools.descriptionOf(call.name) };
      const described = describeCall(call, place, this.#privacy);
      this.#calls.set(call.id, { about: described, start: undefined });
    }
  }

  #startCall(id: string, at: number): void {
    const call = this.#calls.get(id);
    if (call !== undefined) call.start ??= at;
  }

  /** A call that asks runs again once it is answered. It is told then. */
  #ask(record: Of<"question"> & JournalRecord): void {
    const call = this.#calls.get(record.callId);
    if (call !== undefined) call.start = undefined;
    this.#note(record);
  }

  #result({ at, result }: Of<"result"> & JournalRecord): void {
    if (this.#isTorn && result.failure?.kind === "interrupted") this.#brokeOffAt ??= this.#lastAt;
    this.#endCall(result.callId, at, describeResult(result, this.#privacy));
  }

  #check(record: Of<"check"> & JournalRecord): void {
    if (this.#facts === undefined) return;
    const { at, seq, duration, callId } = record;
    const key = effectKey(this.#facts.key, `check:${String(seq)}`, this.#state);
    const start = Math.max(at - duration, this.#part?.start ?? 0);
    if (callId !== undefined) this.#startCall(callId, start);
    const about = describeCheck({ ...record, key }, this.#privacy);
    const draft = { key, start, about, events: [], links: [] };
    this.#add(draft, at, describeVerdict(record, this.#privacy), callId);
  }

  #endCall(id: string, at: number, end: SpanEnd): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    const { about, start = this.#brokeOffAt ?? this.#lastAt } = call;
    this.#add({ key: id, start, about, events: [], links: [] }, Math.max(start, this.#endOf(at, end)), end);
  }

  /** The end of a call. An interrupted call ended with the process, however late the result that says so was recorded. */
  #endOf(at: number, { attributes }: SpanEnd): number {
    return attributes[attribute.errorType] === "interrupted" ? (this.#brokeOffAt ?? at) : at;
  }

  #note(record: JournalRecord): void {
    const note = runEvent(record, this.#privacy);
    if (note !== undefined) this.#part?.events.push({ ...note, at: record.at });
  }

  #end(record: Of<"outcome"> & JournalRecord): void {
    if (this.#part === undefined) return;
    this.#add(this.#part, record.at, describeEnding(endingIn(this.#state, record), this.#privacy), undefined);
    this.#part = undefined;
  }

  /** Ends the part of a run whose process died. */
  #breakOff(): void {
    if (this.#part !== undefined) this.#add(this.#part, this.#brokeOffAt ?? this.#lastAt, unfinished);
    this.#part = undefined;
    this.#brokeOffAt = undefined;
  }

  #add(draft: Draft, end: number, how: SpanEnd, parentKey: string | undefined = this.#part?.key): void {
    const isPart = draft === this.#part;
    const parent = isPart ? this.#options.parent?.spanId : parentKey && spanIdOf(parentKey);
    const depth = isPart ? 0 : parentKey === this.#part?.key ? 1 : 2;
    this.#spans.add(draft, end, how, { traceId: this.#traceId(this.#facts?.key ?? ""), parent, depth });
  }

  #traceId(run: string): string {
    return this.#options.parent?.traceId ?? traceIdOf(run);
  }
}

const unfinished: SpanEnd = { isError: false, attributes: { [attribute.unfinished]: true } };
