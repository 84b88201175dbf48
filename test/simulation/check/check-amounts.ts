// The amounts of a session: its replies are those that were charged, its outcomes tell each once, and its limits hold.

import { addUsage, noUsage, subtractUsage } from "../../../src/core/data/call.js";
import { replay, type JournalRecord, type Usage } from "../../../src/core/index.js";
import { spentIn } from "../../chaos/invariants.js";
import { limits } from "../agent/agents.js";
import { sharedIterations } from "../host/site.js";
import type { World } from "../world/world.js";
import type { EndedSession } from "./check-world.js";

/** @throws Error that names a reply that nobody charged, amounts that are told twice or not at all, or a limit that does not hold. */
export function checkAmounts(session: EndedSession): void {
  checkCharges(session);
  checkTold(session);
  const bounds = limits[session.agent] ?? {};
  for (const run of runsOf(session.records)) checkLimits(run, bounds);
}

/** The replies of a session: the key of the request and the usage, as charges have them. */
export function keysOfReplies({ id, records }: EndedSession): readonly string[] {
  let run = "";
  let isClosing = false;
  /** The life of the process that goes on with the run, as the keys of its requests end with it. */
  let later = "";
  return records.flatMap((record) => {
    if (record.type === "input")
      [run, isClosing, later] = [`${id}/${record.life ?? ""}/${String(record.run)}`, false, ""];
    else if ("life" in record) later = `:${record.life}`;
    if (record.type === "notice" && record.about === "closing") isClosing = true;
    if (record.type !== "reply") return [];
    const name = isClosing ? "closing" : String(record.iteration);
    return `${run}/model:${name}${later} ${JSON.stringify(record.reply.usage)}`;
  });
}

/** Adds a finding for each process whose runs together had more replies than the limit that they shared. */
export function checkSharedLimits(world: World, replies: ReadonlySet<string>): void {
  const of = new Map<string, number>();
  for (const { key, usage, worker } of world.charges)
    if (replies.has(`${key} ${JSON.stringify(usage)}`)) of.set(worker, (of.get(worker) ?? 0) + 1);
  for (const [worker, count] of of)
    if (count > sharedIterations) world.find(`${worker} had ${String(count)} replies of ${String(sharedIterations)}`);
}

/** Each reply of the journal was charged as it says. */
function checkCharges(session: EndedSession): void {
  const charged = new Set(session.charges.map(({ key, usage }) => `${key} ${JSON.stringify(usage)}`));
  for (const key of keysOfReplies(session))
    if (!charged.has(key)) throw new Error(`the reply ${key} is not as its model charged it`);
}

/** The outcomes in the journal tell the usage of all replies, and nobody was told more of one. */
function checkTold({ records, told: all }: EndedSession): void {
  const toldAt = new Map<number, Usage>();
  for (const [index, { type }] of records.entries()) {
    if (type !== "outcome") continue;
    const { usage, accounted } = replay(records.slice(0, index));
    toldAt.set(index + 1, subtractUsage(usage, accounted.usage));
  }
  for (const run of runsOf(records)) checkSum(run, toldAt);
  const heard = new Set<number>();
  for (const { joined, usage, records: at, worker, status } of all) {
    if (joined || isSame(usage, noUsage)) continue;
    const told = toldAt.get(at);
    const which = `the outcome ${status} that ${worker} heard at record ${String(at)}`;
    if (told === undefined) throw new Error(`${which} tells ${JSON.stringify(usage)}, and is not in the journal`);
    if (!isSame(told, usage))
      throw new Error(`${which} tells ${JSON.stringify(usage)} in place of ${JSON.stringify(told)}`);
    if (heard.has(at)) throw new Error(`${which} is told twice`);
    heard.add(at);
  }
}

/** A run that was left and never gone on with has no outcome. All others tell what their replies used, up to the last end. */
function checkSum(run: readonly JournalRecord[], toldAt: ReadonlyMap<number, Usage>): void {
  const end = run.findLastIndex(({ type }) => type === "outcome");
  const replies = run
    .slice(0, Math.max(0, end))
    .flatMap((record) => (record.type === "reply" ? [record.reply.usage] : []));
  const told = run.flatMap(({ seq }) => toldAt.get(seq + 1) ?? []);
  if (!isSame(sum(told), sum(replies))) throw new Error("its outcomes do not add up to its replies");
}

function sum(usages: readonly Usage[]): Usage {
  return usages.reduce(addUsage, noUsage);
}

function isSame(a: Usage, b: Usage): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The records of each run. */
function runsOf(records: readonly JournalRecord[]): readonly (readonly JournalRecord[])[] {
  const starts = records.flatMap(({ type }, index) => (type === "input" ? [index] : []));
  return starts.map((start, index) => records.slice(start, starts[index + 1]));
}

interface Bounds {
  readonly maxTokens?: number;
  readonly maxIterations?: number;
}

/** No request was sent above a limit, and no run ended for a limit that it had not reached. */
function checkLimits(run: readonly JournalRecord[], { maxTokens = Infinity, maxIterations = Infinity }: Bounds): void {
  const last = run.findLastIndex(({ type }) => type === "reply");
  const isClosed = run.some((record) => record.type === "notice" && record.about === "closing");
  const before = spentIn(run.slice(0, Math.max(0, last)));
  if (before.tokens >= maxTokens) throw new Error(`a request was sent after ${String(before.tokens)} tokens`);
  if (before.iterations - (isClosed ? 1 : 0) >= maxIterations)
    throw new Error(`iteration ${String(before.iterations + 1)} is above the limit`);
}
