// The orders to a session: what was aborted stays withdrawn, nothing later is aborted, and what is resumed goes on, once.

import type { JournalRecord } from "../../../src/core/index.js";
import type { Asked } from "../host/site.js";
import type { EndedSession } from "./check-world.js";

/** Milliseconds after which nothing is on its way any more: a process stands still for a minute at most. */
const settled = 120_000;

/** @throws Error that names an order that was not followed, or followed too often. */
export function checkAsks(session: EndedSession): void {
  for (const one of session.asked) {
    if (one.ask.kind === "abort") checkAbort(session, one);
    if (one.ask.kind === "resume") checkResume(session, one);
  }
  checkResumes(session);
}

/**
 * The last time at which an abort may be carried out. An abort that was asked for again, because its process stood still, may also be carried
 * out by that process, and late.
 */
export function lastTimeOf({ times, acknowledged = Infinity }: Asked): number {
  return times > 1 ? Infinity : acknowledged;
}

const begins: ReadonlySet<JournalRecord["type"]> = new Set(["input", "resume", "approval", "answer"]);

/** An abort ends no run of an input that was given after it, and inputs that it withdrew are not taken later. */
function checkAbort({ records, asked, times, hasEngine }: EndedSession, abort: Asked): void {
  const acknowledged = lastTimeOf(abort);
  const idsAfter = asked.filter(({ since }) => since > acknowledged).map(({ ask }) => ask.id);
  for (const [index, record] of records.entries()) {
    if (
      record.type !== "outcome" ||
      record.status !== "aborted" ||
      record.message?.includes(`<${abort.ask.id}>`) !== true
    )
      continue;
    const begin = records.slice(0, index).findLast(({ type }) => begins.has(type));
    const begun = /<(s\d+-\d+)>/.exec(JSON.stringify(begin ?? {}))?.[1] ?? "";
    if (idsAfter.includes(begun))
      throw new Error(`the abort ${abort.ask.id} ended the run of ${begun}, which came after it`);
  }
  if (!hasEngine || abort.refused !== undefined) return;
  for (const { ask, acknowledged: had = Infinity } of asked) {
    if (had >= abort.since || (ask.kind !== "start" && ask.kind !== "steer")) continue;
    const at = records.findIndex(
      (record) => record.type !== "outcome" && JSON.stringify(record).includes(`<${ask.id}>`),
    );
    if (at >= 0 && times[at]! > acknowledged + settled)
      throw new Error(`the input ${ask.id} was taken although the abort ${abort.ask.id} withdrew it`);
  }
}

/** The session went on, unless it was aborted meanwhile. */
function checkResume({ records, asked, hasEngine }: EndedSession, one: Asked): void {
  if (one.refused !== undefined || !hasEngine) return;
  const isAborted = asked.some((other) => other.ask.kind === "abort" && lastTimeOf(other) >= one.since);
  const [last] = records.slice(0, Math.max(0, one.lines - 1)).slice(-1);
  if (isAborted || last?.type !== "outcome" || last.status !== "aborted") return;
  const goesOn = records.slice(one.lines - 1).some(({ type }) => begins.has(type) || type === "outcome");
  if (!goesOn) throw new Error(`the session was to be resumed (${one.ask.id}), and did not go on`);
}

/** No ended run goes on more often than somebody asked for it. */
function checkResumes({ records, asked }: EndedSession): void {
  const wanted = asked.filter(({ ask }) => ask.kind === "resume").reduce((sum, { times }) => sum + times, 0);
  const ends = records.filter((record, index) => {
    const before = records[index - 1];
    const isOver = before?.type === "outcome" && !(before.status === "failed" && before.reason === "store");
    return record.type === "resume" && isOver && !isSuspended(before);
  });
  if (ends.length > wanted)
    throw new Error(`ended runs were resumed ${String(ends.length)} times, and somebody asked ${String(wanted)} times`);
}

function isSuspended(record: JournalRecord): boolean {
  return JSON.stringify(record).includes('"suspended":true');
}
