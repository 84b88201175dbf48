// The amounts of a session: its replies are those that were charged, its outcomes tell each once, and its limits hold.

import { addUsage, noUsage, subtractUsage } from "../../../src/core/data/call.js";
import { replay, type JournalRecord, type Usage } from "../../../src/core/index.js";
import { spentIn } from "../../chaos/invariants.js";
import { limits } from "../agent/agents.js";
import type { Site, Told } from "../host/worker.js";
import type { EndedSession } from "./check-world.js";

/** @throws Error that names a reply that nobody charged, amounts that are told twice or not at all, or a limit that does not hold. */
export function checkAmounts(session: EndedSession, site: Site): void {
  checkCharges(session, site);
  checkTold(session, site.told);
  const bounds = limits[site.agentOf(session.id)] ?? {};
  for (const run of runsOf(session.records)) checkLimits(run, bounds);
}

/** Each reply of the journal was charged as it says. */
function checkCharges({ id, records }: EndedSession, { world }: Site): void {
  const charged = new Set<string>();
  for (const { key, usage } of world.charges)
    if (key.startsWith(`${id}/`)) charged.add(`${key} ${JSON.stringify(usage)}`);
  let run = "";
  for (const [index, record] of records.entries()) {
    if (record.type === "input") run = `${id}/${record.life ?? ""}/${String(record.run)}`;
    if (record.type !== "reply") continue;
    const keys = [`${run}/model:${String(record.iteration)}`, `${run}/model:closing`];
    const usage = JSON.stringify(record.reply.usage);
    if (!keys.some((key) => charged.has(`${key} ${usage}`)))
      throw new Error(`the reply of record ${String(index)} has ${usage}, and its model charged something else`);
  }
}

/** The outcomes in the journal tell the usage of all replies, and nobody was told more of one. */
function checkTold({ id, records }: EndedSession, all: readonly Told[]): void {
  const toldAt = new Map<number, Usage>();
  for (const [index, { type }] of records.entries()) {
    if (type !== "outcome") continue;
    const { usage, accounted } = replay(records.slice(0, index));
    toldAt.set(index + 1, subtractUsage(usage, accounted.usage));
  }
  for (const run of runsOf(records)) checkSum(run, toldAt);
  const heard = new Set<number>();
  for (const { session, joined, usage, records: at, worker, status } of all) {
    if (session !== id || joined || isSame(usage, noUsage)) continue;
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
