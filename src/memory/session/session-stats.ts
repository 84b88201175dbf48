// The numbers of sessions: latencies of models and tools, failures by kind, ends of runs, as their journals have them.

import type { FailureKind, JournalRecord, Session } from "../../core/index.js";
import { rootOf } from "./tree.js";

/** Durations: how many were measured, and the time in milliseconds that half, 95 % and 99 % of them stayed below or at. */
export interface Latency {
  readonly measured: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** The numbers of one model. */
export interface ModelStats {
  readonly name: string;
  readonly replies: number;
  /** From the beginning of the request to the recorded reply, with all tries. */
  readonly latency: Latency;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In the currency of the prices; 0 without prices. */
  readonly cost: number;
}

/** The numbers of one tool, or of one check. */
export interface WorkStats {
  readonly name: string;
  /** The calls that have a result, or the runs of the check. */
  readonly times: number;
  readonly failed: number;
  /** Of a call: from the decision about it to its result. The time in which it waited for a person does not count. */
  readonly latency: Latency;
}

/** The numbers of sessions. */
export interface SessionStats {
  readonly sessions: number;
  /** The runs by their end: a status, and for some a reason, such as `stopped: timeout`. `open` has no end yet. */
  readonly runs: Readonly<Record<string, number>>;
  readonly iterations: number;
  /** The runs that the circuit ended. */
  readonly circuitOpenings: number;
  readonly failures: Readonly<Partial<Record<FailureKind, number>>>;
  /** The most used first. */
  readonly models: readonly ModelStats[];
  readonly tools: readonly WorkStats[];
  readonly checks: readonly WorkStats[];
}

/**
 * Counts what sessions did, from their journals. The sessions of agents that calls run count for models, tools, checks and failures, and
 * not as sessions and runs. It keeps a number for each request, call and check, and no session.
 *
 * @example
 * ```ts
 * async function* all() {
 *   for (const { id } of await store.list()) yield openSession({ store, id }).toJSON();
 * }
 * const { models, failures } = await sessionStats(all());
 * ```
 */
export async function sessionStats(sessions: Iterable<Session> | AsyncIterable<Session>): Promise<SessionStats> {
  const counts = new Counts();
  for await (const { id, records } of sessions) counts.take(records, rootOf(id) === id);
  return counts.stats();
}

interface ModelCounts {
  readonly times: number[];
  replies: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
}

interface WorkCounts {
  readonly times: number[];
  count: number;
  failed: number;
}

class Counts {
  #sessions = 0;
  #iterations = 0;
  readonly #runs = new Map<string, number>();
  readonly #failures = new Map<FailureKind, number>();
  readonly #models = new Map<string, ModelCounts>();
  readonly #tools = new Map<string, WorkCounts>();
  readonly #checks = new Map<string, WorkCounts>();

  take(records: readonly JournalRecord[], isRoot: boolean): void {
    if (records.length === 0) return;
    if (isRoot) this.#sessions += 1;
    /** The time from which on a call runs, by its id. */
    const begun = new Map<string, number>();
    const going = new Set<string>();
    let model = "";
    let isOpen = false;
    const end = (name: string): void => {
      if (isRoot) add(this.#runs, name);
      isOpen = false;
    };
    for (const record of records) {
      if ("definition" in record) ({ model } = record.definition);
      const { type } = record;
      if (type === "input") {
        if (isOpen) end("open");
        isOpen = true;
      } else if (type === "reply") {
        this.#reply(record, record.reply.model ?? model);
        for (const { id } of record.reply.calls) begun.set(id, record.at);
      } else if (type === "decision" || type === "intent") {
        begun.set(record.callId, record.at);
      } else if (type === "approval" || type === "answer") {
        // The id of a question begins with its call's id.
        begun.set(record.answers.replace(/\/ask:\d+$/, ""), record.at);
      } else if (type === "background") {
        going.add(record.callId);
      } else if (type === "background-end" || (type === "result" && !going.delete(record.result.callId))) {
        // The first result of a call in the background says only that it goes on.
        const { callId, name, ok, failure } = record.result;
        addWork(this.#tools, name, { isOk: ok, time: record.at - (begun.get(callId) ?? record.at) });
        if (failure !== undefined) add(this.#failures, failure.kind);
      } else if (type === "error-context") {
        add(this.#failures, record.failure.kind);
      } else if (type === "check") {
        addWork(this.#checks, record.check, { isOk: record.passed, time: record.duration });
      } else if (type === "iteration") {
        this.#iterations += 1;
      } else if (type === "outcome") {
        end(record.reason === undefined ? record.status : `${record.status}: ${record.reason}`);
      }
    }
    if (isOpen) end("open");
  }

  stats(): SessionStats {
    return {
      sessions: this.#sessions,
      runs: Object.fromEntries([...this.#runs].toSorted(([, a], [, b]) => b - a)),
      iterations: this.#iterations,
      circuitOpenings: this.#runs.get("stopped: circuit_open") ?? 0,
      failures: Object.fromEntries([...this.#failures].toSorted(([, a], [, b]) => b - a)),
      models: [...this.#models]
        .map(([name, { times, ...counted }]) => ({ name, ...counted, latency: latencyOf(times) }))
        .toSorted((a, b) => b.replies - a.replies),
      tools: workStats(this.#tools),
      checks: workStats(this.#checks),
    };
  }

  #reply({ at, asked, reply, spent }: Extract<JournalRecord, { readonly type: "reply" }>, name: string): void {
    const known = of(this.#models, name, () => ({ times: [], replies: 0, inputTokens: 0, outputTokens: 0, cost: 0 }));
    known.replies += 1;
    known.inputTokens += reply.usage.inputTokens;
    known.outputTokens += reply.usage.outputTokens;
    known.cost += spent?.cost ?? 0;
    if (asked !== undefined) known.times.push(Math.max(0, at - asked));
  }
}

function addWork(all: Map<string, WorkCounts>, name: string, { isOk, time }: { isOk: boolean; time: number }): void {
  const known = of(all, name, () => ({ times: [], count: 0, failed: 0 }));
  known.count += 1;
  if (!isOk) known.failed += 1;
  known.times.push(Math.max(0, time));
}

function workStats(all: ReadonlyMap<string, WorkCounts>): readonly WorkStats[] {
  return [...all]
    .map(([name, { times, count, failed }]) => ({ name, times: count, failed, latency: latencyOf(times) }))
    .toSorted((a, b) => b.times - a.times);
}

function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  /** By the nearest rank. */
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
  return { measured: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function of<Value>(all: Map<string, Value>, name: string, make: () => Value): Value {
  const known = all.get(name) ?? make();
  all.set(name, known);
  return known;
}
