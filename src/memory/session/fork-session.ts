// Forking: copies a session up to one of its records into a new session.

import {
  replay,
  LastcallError,
  systemRuntime,
  type JournalRecord,
  type JsonObject,
  type Principal,
  type State,
} from "../../core/index.js";
import {
  checkOptions,
  portKinds,
  needed,
  type OptionKinds,
  idInRun,
  isLimitQuestion,
  newMark,
  parkedCall,
  raiseLimit,
  readPrincipal,
  type ParkedRecord,
} from "../../core/internal.js";
import { copyAttachments } from "./attachments.js";
import { noSum, readLog, writeLine, type Header } from "./record-lines.js";
import { giveBack, newHolder } from "../../lock/index.js";
import { appendAll } from "../store/log-line.js";
import { whereOf } from "./open-session.js";
import { checkId } from "../store/session-id.js";
import type { Store } from "../store/store.js";

/** The options of `forkSession`. */
export interface ForkOptions {
  readonly store: Store;
  readonly id: string;
  /** The number of the first record that is not copied. Default: all records are copied. */
  readonly at?: number | undefined;
  /** The id of the new session, which must not exist yet. Default: a random id. */
  readonly to?: string | undefined;
  /** Data of the host for the new session. Default: the data of the original. */
  readonly about?: JsonObject | undefined;
  /**
   * The person who makes the copy. Work that goes on in the copy follows from this person's words there, so its calls use this person's
   * rights. Default: the work stays with the people who asked for it in the original.
   */
  readonly by?: Principal | undefined;
}

const forkOptions = {
  store: needed(portKinds.store),
  id: needed("text"),
  at: "number",
  to: "text",
  about: "object",
  by: "object",
} satisfies OptionKinds<ForkOptions>;

/**
 * Copies a session up to a record. The original is not changed. A run that has no end there goes on in the copy if somebody resumes it or
 * gives it an input, and never by itself. Damage after the copied records does not matter. An approval of a call that has no result yet is
 * not copied, nor is what follows it: the copy has another call, which waits for its own approval.
 * @returns the id of the new session.
 * @throws LastcallError `configuration` if the session does not exist or has fewer records, if the new session exists already,
 * or if `by` is no principal.
 */
export async function forkSession(options: ForkOptions): Promise<string> {
  checkOptions("forkSession", options, forkOptions);
  const { store, id, at, to = crypto.randomUUID(), about } = options;
  const refuse = (what: string): LastcallError => new LastcallError("configuration", `${what} (${store.name}).`);
  const by = options.by && readPrincipal(options.by, "`by` of forkSession");
  checkId(to);
  const lines = await store.read(checkId(id));
  if (lines === undefined) throw refuse(`There is no session ${id} to fork`);
  const whole = lines.slice(0, at === undefined ? undefined : at + 1);
  const { records: read, header: original } = readLog(whole, { id, where: whereOf(store, id), isTorn: undefined });
  if (at !== undefined && read.length < at) {
    throw refuse(`The session ${id} has ${String(read.length)} records, so it can't be forked at ${String(at)}`);
  }
  const copy = withoutOpenApproval(read);
  const records = by === undefined ? copy : askedBy(copy, by);
  if ((await store.read(to)) !== undefined) throw refuse(`There is a session ${to} already`);
  const holder = newHolder();
  const lock = await store.lock(to, holder);
  if (!("append" in lock)) throw refuse(`The session ${to} is being written`);
  try {
    const from = `${id}@${String(records.length)}`;
    const header: Header = { ...original, id: to, from, ...(about !== undefined && { about }) };
    let sum = noSum;
    const copied = [header, ...asFork(records, { to, from })].map((value) => {
      const next = writeLine(value, sum);
      ({ sum } = next);
      return next.line;
    });
    // The bytes come first, so that no record names what is not there.
    await copyAttachments(store, records, { from: id, to });
    await appendAll(lock, copied);
    return to;
  } finally {
    await giveBack(holder, () => lock.release());
  }
}

/** The records up to the first approval of a call that has no result, if there is one: a yes counts for one call. */
function withoutOpenApproval(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const withResult = new Set(records.flatMap((record) => (record.type === "result" ? [record.result.callId] : [])));
  // A run that went on at its limit has had its yes, as a call with a result has.
  for (const [index, record] of records.entries()) {
    const wentOn = (): boolean => records.slice(index).some(({ type }) => type === "reply" || type === "input");
    if (record.type === "parked" && record.name === raiseLimit && wentOn()) withResult.add(record.callId);
  }
  const first = records.findIndex((record) => {
    const callId = approvedCall(record, records);
    return callId !== undefined && !withResult.has(callId);
  });
  return first < 0 ? records : records.slice(0, first);
}

/**
 * The records, with the words that open work follows from as words of this person. A person has their own rights in a copy, and never the
 * rights of other people.
 */
function askedBy(records: readonly JournalRecord[], by: Principal): readonly JournalRecord[] {
  const { ended, background } = replay(records);
  if (ended === "completed" && background.length === 0) return records;
  // A run without words follows from the words before. Work in the background may be of any run.
  const last = records.findLastIndex((record) => record.type === "input" && record.text !== "");
  const first = background.length === 0 ? last : 0;
  return records.map((record, index) => (index >= first ? givenBy(record, by) : record));
}

/** The record as this person's, if the calls that follow are its giver's. */
function givenBy(record: JournalRecord, by: Principal): JournalRecord {
  if (record.type === "input" || record.type === "steer" || record.type === "answer") return { ...record, by };
  return record.type === "approval" && record.text !== undefined ? { ...record, by } : record;
}

/** The call that the record approves: its own, or one of an agent that it runs. */
function approvedCall(record: JournalRecord, records: readonly JournalRecord[]): string | undefined {
  if (record.type === "approval") return record.allowed ? record.answers : undefined;
  if (record.type !== "answer") return undefined;
  const asked = records.find((other) => other.type === "question" && other.id === record.answers);
  return asked?.type === "question" && asked.approves !== undefined ? asked.callId : undefined;
}

/** The records for the new session. If their run has no end, nobody has asked that it goes on in the fork, so the last record says that. */
export function asFork(
  records: readonly JournalRecord[],
  { to, from }: { readonly to: string; readonly from: string },
): readonly JournalRecord[] {
  const state = replay(records);
  const { run, ended, open, seq } = state;
  // A run that waits at its limit has no open reply.
  const raise = pendingRaise(state);
  const waits = open || raise !== undefined;
  if (run === 0 || (ended !== undefined && !waits)) return records;
  const own = withOwnKeys(records, to, { open, raise });
  return ended === undefined ? [...own, { type: "fork", from, seq, at: records.at(-1)?.at ?? 0 }] : own;
}

/** The question of a run that waits at its limit; undefined if none does. */
function pendingRaise(state: State): ParkedRecord | undefined {
  const parked = parkedCall(state);
  return parked !== undefined && isLimitQuestion(state, parked) ? parked : undefined;
}

function callsIn(record: JournalRecord | undefined): readonly string[] {
  return record?.type === "reply" ? record.reply.calls.map(({ id }) => id) : [];
}

/**
 * The records with their own keys. A run that has not ended, or that waits for an approval, goes on in another life, and the calls of an
 * open iteration get ids of the new session. Otherwise a call that has yet to run would share its idempotency key with the call in the
 * original, or in an earlier fork.
 */
function withOwnKeys(
  records: readonly JournalRecord[],
  session: string,
  { open, raise }: { readonly open: boolean; readonly raise: ParkedRecord | undefined },
): readonly JournalRecord[] {
  const life = newMark(systemRuntime);
  const input = records.findLastIndex(({ type }) => type === "input");
  const start = open || raise !== undefined ? records.findLastIndex(({ type }) => type === "reply") : records.length;
  const reply = records[start];
  const ids = raise === undefined ? callsIn(reply) : [raise.callId];
  const rename = (record: JournalRecord): JournalRecord => {
    const text = ids.reduce(
      (json, id) => json.replaceAll(JSON.stringify(id), JSON.stringify(`${session}/${life}/${idInRun(id)}`)),
      JSON.stringify(record),
    );
    return JSON.parse(text) as JournalRecord;
  };
  return records.map((record, index) => {
    if (index === input && record.type === "input") return { ...record, life };
    return index < start ? record : rename(record);
  });
}
