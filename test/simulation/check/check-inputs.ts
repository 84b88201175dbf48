// The inputs of a session: each that a host acknowledged is in its journal exactly once, or there is a reason that the journal tells.

import type { JournalRecord } from "../../../src/core/index.js";
import { lastTimeOf } from "./check-asks.js";
import { waitingIn } from "./waiting.js";
import type { Asked } from "../host/site.js";
import type { EndedSession } from "./check-world.js";

/** @throws Error that names an input that was lost, taken twice, or told an end that the journal does not have. */
export function checkInputs(session: EndedSession): void {
  const { records, asked, inbox } = session;
  const takers = takersIn(records);
  for (const one of asked) {
    const { ask, end } = one;
    if (ask.kind === "abort" || ask.kind === "resume") continue;
    const all = takers.get(ask.id) ?? [];
    if (all.length > 1) throw new Error(`the input ${ask.id} was taken ${String(all.length)} times`);
    const [taker] = all;
    if (taker === undefined) {
      const why = whyNot(session, one);
      if (why === undefined)
        throw new Error(`the input ${ask.id} was lost: it was acknowledged, and is not in the journal`);
      continue;
    }
    const taken = "answers" in taker ? taker.answers : undefined;
    if ("callId" in ask && taken !== ask.callId) throw new Error(`the answer ${ask.id} was taken as something else`);
    // A run may end by itself while its delivery is withdrawn.
    const isAborted = end?.status === "aborted" && asked.some((other) => other.ask.kind === "abort");
    // By the clock of one process its question may have expired, and by the clock of another not.
    const isLate = session.isSkewed && "callId" in ask && expires(records, ask.callId) && end?.status === "failed";
    if (end !== undefined && !isAborted && !isLate) checkEnd(records, one, taker);
  }
  const mayStay = (id: string): boolean => {
    // Words that also came with a delivery may lie there until a run looks.
    if (records.some((record) => "sent" in record && record.sent === id)) return true;
    // A process that stood still may have put withdrawn words there and died, or a statement that was given up came late. No run takes them.
    const one = session.left.has(id) ? asked.find(({ ask }) => ask.id === id) : undefined;
    return one !== undefined && isWithdrawn(session, one);
  };
  // Answers that came too late may lie there, too.
  const left = inbox.find(({ id, text }) => !text.includes('"answers":') && !mayStay(id));
  if (left !== undefined) throw new Error(`the words ${left.id} are in the inbox still`);
}

/** The records that took inputs, by the ids that stand in their words. */
function takersIn(records: readonly JournalRecord[]): ReadonlyMap<string, readonly JournalRecord[]> {
  const takers = new Map<string, JournalRecord[]>();
  const answered = new Set<string>();
  for (const record of records) {
    if (!mayTake.has(record.type)) continue;
    const taken = /<(s\d+-\d+)>/.exec(JSON.stringify(record))?.[1];
    if (taken !== undefined) takers.set(taken, [...(takers.get(taken) ?? []), record]);
    if (!("answers" in record) || record.answers === undefined) continue;
    if (answered.has(record.answers)) throw new Error(`${record.answers} was answered twice`);
    answered.add(record.answers);
  }
  return takers;
}

const mayTake: ReadonlySet<JournalRecord["type"]> = new Set(["input", "steer", "answer", "approval"]);

/** The reason why an input is not in the journal; undefined if there is none. */
function whyNot(session: EndedSession, one: Asked): string | undefined {
  const { records } = session;
  const { ask, refused, end } = one;
  if (refused !== undefined) return "it was refused";
  if (isWithdrawn(session, one)) return "it was withdrawn";
  if (!("callId" in ask)) return undefined;
  if (waitingIn(records) !== ask.callId) return "its call was answered, or waits no more";
  const isTooEarly = end?.message?.includes("has no call") === true;
  return expires(records, ask.callId) && !isTooEarly ? "its question has expired" : undefined;
}

function isWithdrawn({ asked }: EndedSession, { since }: Asked): boolean {
  return asked.some((other) => other.ask.kind === "abort" && lastTimeOf(other) >= since);
}

/** The end that a host told is the one that the journal has of the run which took the input. */
function checkEnd(records: readonly JournalRecord[], { ask, end }: Asked, taker: JournalRecord): void {
  const from = records.indexOf(taker);
  const isEnd = (record: JournalRecord): boolean =>
    record.type === "outcome" && !(record.status === "failed" && record.reason === "store");
  const last = records.find((record, index) => index >= from && isEnd(record));
  const status = last?.type === "outcome" ? last.status : "no end";
  if (end?.status !== status)
    throw new Error(`the input ${ask.id} was told the end ${String(end?.status)}, and the journal has ${status}`);
}

function expires(records: readonly JournalRecord[], id: string): boolean {
  return records.some((record) => record.type === "claim" && record.callId === id && record.expiresAt !== undefined);
}
