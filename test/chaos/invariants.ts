// What must hold of a session whatever happened to it, seen from outside: its journal, the requests it sent, the effects it had.

import { isDeepStrictEqual } from "node:util";
import {
  replay,
  type Event,
  type JournalRecord,
  type AnyOutcome,
  type Session,
  type State,
} from "../../src/core/index.js";
import { subtractUsage } from "../../src/core/data/call.js";
import type { Tool } from "../../src/index.js";
import { assertWellFormed, assertWellFormedRequest, type RequestBody } from "../../src/testing/index.js";

/** One run of a tool, told by the tool itself to something outside the session. */
export interface SeenEffect {
  readonly callId: string;
  /** What it was called with. */
  readonly input: unknown;
}

/** What is looked at. */
export interface Seen {
  readonly records: readonly JournalRecord[];
  /** The bodies that a provider received, in order. */
  readonly requests: readonly RequestBody[];
  /** In the order in which they happened. */
  readonly effects: readonly SeenEffect[];
  /** What the agent has: then effects are held against what they declare. Default: every effect is one that is never repeated. */
  readonly tools?: readonly Tool[];
  /** False where the journal may end anywhere. Default true. */
  readonly ended?: boolean;
  /** True where hooks answer calls. Default false. */
  readonly hooks?: boolean;
  /** Records that somebody was told are kept, at any time. Default: none. */
  readonly acknowledged?: readonly JournalRecord[];
  /** How many of the records were taken over by a fork. The requests about them went out before it. Default 0. */
  readonly inherited?: number;
  /** States that the run itself went by, as a hook's `veto` sees them. Default: none. */
  readonly states?: readonly State[];
}

/**
 * Holds a session against the invariants: I1, I2, I3, I4, I8, I9, I10 and I12 of the chaos suite.
 * @throws Error that names the invariant and what breaks it.
 */
export function checkInvariants(seen: Seen): void {
  const { records, requests, tools, ended = true, hooks = false, acknowledged = [], states = [] } = seen;
  invariant("I2, I9", () => {
    assertWellFormed(records, { ended, hooks, ...(tools && { tools }) });
  });
  invariant("I1", () => {
    requests.forEach(assertWellFormedRequest);
  });
  for (const record of acknowledged) {
    demand(isDeepStrictEqual(records[record.seq], record), "I2", `what was kept as ${text(record)} is gone`);
  }
  checkReplies(records, requests);
  checkEffects(seen);
  checkUnknown(seen);
  checkSums(records);
  const copy = JSON.parse(JSON.stringify(records)) as readonly JournalRecord[];
  demand(isDeepStrictEqual(replay(copy), replay(records)), "I12", "the journal as text folds to another state");
  for (const state of states) {
    const folded = replay(copy.slice(0, state.seq));
    demand(isDeepStrictEqual(folded, state), "I12", `the state at record ${String(state.seq)} is not what folds`);
  }
}

/** I9 of one run: its events end with exactly one `run-end`, and what it says is what was returned and what the journal has. */
export function checkEnd(events: readonly Event[], outcome: AnyOutcome): void {
  const ends = events.filter(({ type }) => type === "run-end");
  demand(ends.length === 1 && events.at(-1) === ends[0], "I9", `there are ${String(ends.length)} terminal events`);
  const [end] = ends;
  const { session: _session, ...told } = outcome;
  demand(
    end?.type === "run-end" && isDeepStrictEqual(end.outcome, told),
    "I9",
    "the terminal event has another outcome",
  );
  if (outcome.joined === true) return;
  const last = outcome.session.records.at(-1);
  if (last?.type === "outcome")
    demand(last.status === outcome.status, "I9", `${outcome.status} was returned and ${last.status} recorded`);
  const { usage: whole, iteration, accounted } = replay(outcome.session.records);
  const usage = subtractUsage(whole, accounted.usage);
  if (last?.type !== "outcome" || outcome.status === "failed") return;
  demand(isDeepStrictEqual(outcome.usage, usage), "I10", "the outcome's usage is not the journal's");
  demand(
    outcome.iterations === iteration - accounted.iterations,
    "I10",
    "the outcome's iterations are not the journal's",
  );
}

/**
 * I12 as the model sees it: from the records before any of its replies, a run that is opened anew asks for that reply with a
 * request that was made before, byte for byte. `ask` opens it and returns that request.
 */
export async function checkReplay(
  { records, requests }: { readonly records: readonly JournalRecord[]; readonly requests: readonly unknown[] },
  ask: (session: Session) => Promise<unknown>,
): Promise<number> {
  const sent = new Set(requests.map(asked));
  let replayed = 0;
  for (const [index, { type }] of records.entries()) {
    if (type !== "reply") continue;
    const session = JSON.parse(text({ version: 1, id: idOf(records), records: records.slice(0, index) })) as Session;
    const body = await ask(session);
    demand(body !== undefined, "I12", `nothing was asked for the reply of record ${String(index)}`);
    demand(
      sent.has(asked(body)),
      "I12",
      `for the reply of record ${String(index)}, another request is made: ${text(body)}`,
    );
    replayed += 1;
  }
  return replayed;
}

/** The text of a request. Its key ends with the life of the process that goes on with the run, and each one has its own. */
function asked(request: unknown): string {
  return text(request).replace(/("key":"[^"]*\/model:[^":]+):[^":]+"/, '$1"');
}

/** The session's id, from the first call's; a session without a call has another, which nothing of it depends on. */
function idOf(records: readonly JournalRecord[]): string {
  const call = records.flatMap((record) => (record.type === "reply" ? record.reply.calls : []))[0];
  return call?.id.split("/")[0] ?? "session";
}

/** I4: what the model is reminded of is what was recorded of it, never what only streamed. */
function checkReplies(records: readonly JournalRecord[], requests: readonly RequestBody[]): void {
  const replies = records.flatMap((record) => (record.type === "reply" ? [record.reply] : []));
  const words = new Set(replies.map((reply) => reply.text));
  // A name that no wire takes goes out as one that it does.
  const names = new Set(replies.flatMap(({ calls }) => calls.map(({ name }) => wireName(name))));
  for (const { messages = [], tools = [] } of requests) {
    // Without tools the calls are in the text, in another dialect.
    for (const { role, content, tool_calls: calls = [] } of tools.length === 0 ? [] : messages) {
      if (role !== "assistant") continue;
      demand(content === null || words.has(content as string), "I4", `no reply said ${text(content)}`);
      for (const { function: called } of calls as readonly { readonly function: { readonly name: string } }[])
        demand(names.has(called.name), "I4", `no reply called ${called.name}`);
    }
  }
}

function wireName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unreadable";
}

/** I3 and I8: each effect was allowed for exactly its arguments, happened once, and is told as it was. */
function checkEffects({ records, effects, tools = [], ended = true }: Seen): void {
  const calls = new Map(
    records.flatMap((record) =>
      record.type === "reply" ? record.reply.calls.map((call) => [call.id, call] as const) : [],
    ),
  );
  const seen = new Set<string>();
  for (const { callId, input } of effects) {
    const call = calls.get(callId);
    demand(call?.type === "call", "I8", `${callId} had an effect, and no reply called it`);
    const tool = tools.find(({ name }) => name === call.name);
    demand(!seen.has(callId) || tool?.idempotent === true, "I3", `${callId} had its effect twice`);
    seen.add(callId);
    const frozen = validated(tool, call.input);
    demand(
      isDeepStrictEqual(input, frozen),
      "I8",
      `${callId} ran with ${text(input)}, and the journal has ${text(frozen)}`,
    );
    const isAllowed = records.some(
      (record) => record.type === "decision" && record.callId === callId && record.allowed,
    );
    demand(isAllowed, "I8", `${callId} had an effect, and nothing allowed it`);
    if (tool?.effect === "none" || tool?.effect === "read") continue;
    checkTold(records, callId, ended);
  }
}

/** I3: the model reads that an outcome is unknown in a request for the reply that follows the result. A stub may shorten the result later. */
function checkUnknown({ records, requests, inherited = 0 }: Seen): void {
  if (requests.length === 0) return;
  const due = records.flatMap((record, index) => {
    const reply = records.findIndex(({ type }, later) => later > index && type === "reply");
    return isUnknown(record) && reply >= inherited ? [record.result.callId] : [];
  });
  const told = new Set(requests.flatMap(toldIn));
  const count = `${String(told.size)} of ${String(due.length)}`;
  demand(told.size >= due.length, "I3", `the model was told of ${count} unknown outcomes: ${due.join(", ")}`);
}

/** Marks of the results in the request whose outcome is unknown: their wire ids, or their numbers if the results are in a text. */
function toldIn({ messages = [] }: RequestBody): readonly string[] {
  return messages.flatMap(({ content, tool_call_id: id }) => {
    const times = text(content).split(outcomeUnknown).length - 1;
    return Array.from({ length: times }, (_none, index) =>
      typeof id === "string" ? id : `unknown ${String(index + 1)}`,
    );
  });
}

const outcomeUnknown = "Its outcome is unknown";

function isUnknown(record: JournalRecord): record is Extract<JournalRecord, { readonly type: "result" }> {
  return record.type === "result" && record.result.text.includes(outcomeUnknown);
}

function checkTold(records: readonly JournalRecord[], callId: string, ended: boolean): void {
  const isOf = (type: JournalRecord["type"]) => (record: JournalRecord) =>
    record.type === type && "callId" in record && record.callId === callId;
  demand(records.some(isOf("intent")), "I3", `${callId} had its effect without an intent`);
  if (records.some(isOf("claim"))) return;
  const answer = records.find((record) => record.type === "result" && record.result.callId === callId);
  if (answer?.type !== "result") {
    demand(!ended, "I3", `${callId} had its effect, and nobody is told`);
    return;
  }
  const isTold = answer.result.failure?.kind !== "interrupted" || isUnknown(answer);
  demand(isTold, "I3", `${callId} had its effect, and the model is told ${text(answer.result.text)}`);
}

/** What the tool's schema makes of the arguments, where it says so at once; else the arguments. */
function validated(tool: Tool | undefined, input: unknown): unknown {
  const schema = tool?.input as
    | { readonly "~standard"?: { validate(value: unknown): { readonly value?: unknown } | Promise<unknown> } }
    | undefined;
  const made = schema?.["~standard"]?.validate(input);
  return made !== undefined && "value" in made ? made.value : input;
}

/** I10: what a run used is the sum over its replies, each counted once. */
function checkSums(records: readonly JournalRecord[]): void {
  const from = records.findLastIndex(({ type }) => type === "input");
  const run = records.slice(Math.max(0, from));
  const replies = run.flatMap((record) => (record.type === "reply" ? [record] : []));
  const { usage, iteration, spent } = replay(records);
  for (const [name, total] of Object.entries(usage) as [keyof typeof usage, number][]) {
    const sum = replies.reduce((all, { reply }) => all + reply.usage[name], 0);
    demand(total === sum, "I10", `the ${name} are ${String(total)}, and its replies have ${String(sum)}`);
  }
  demand(
    iteration === replies.length,
    "I10",
    `it has ${String(replies.length)} replies and counts ${String(iteration)}`,
  );
  const sum = spentIn(run);
  demand(isDeepStrictEqual(spent, sum), "I10", `it spent ${text(spent)}, and its records have ${text(sum)}`);
}

/** What the records of one run count for its limits, each once: its replies, its checks, and what its tools and its memory asked. */
export function spentIn(run: readonly JournalRecord[]): State["spent"] {
  let { iterations, tokens, cost } = { iterations: 0, tokens: 0, cost: 0 };
  for (const record of run) {
    if (!("reply" in record) && !("spent" in record)) continue;
    const { spent } = record;
    const { inputTokens, outputTokens } = "reply" in record ? record.reply.usage : { inputTokens: 0, outputTokens: 0 };
    iterations += spent?.iterations ?? 1;
    tokens += spent?.tokens ?? inputTokens + outputTokens;
    cost += spent?.cost ?? 0;
  }
  return { iterations, tokens, cost };
}

function invariant(name: string, check: () => void): void {
  try {
    check();
  } catch (thrown) {
    throw new Error(`${name}: ${(thrown as Error).message}`, { cause: thrown });
  }
}

function demand(holds: boolean, name: string, otherwise: string): asserts holds {
  if (!holds) throw new Error(`${name}: ${otherwise}`);
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? "undefined";
}
