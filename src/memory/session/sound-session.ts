// Sound sessions: checks a session of a stranger record by record, so that nothing that reads it later meets a surprise.

import { LastcallError, replay, type JournalRecord, type Session } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import { rootOf } from "./tree.js";
import { checkId } from "../store/session-id.js";

/** Says what is wrong with a value, with the path to it in front; undefined if nothing is. */
type Check = (value: unknown) => string | undefined;

const when =
  (isSound: (value: unknown) => boolean, what: string): Check =>
  (value) =>
    isSound(value) ? undefined : ` is no ${what}`;

const text = when((value) => typeof value === "string", "text");
const flag = when((value) => typeof value === "boolean", "true or false");
const amount = when((value) => Number.isFinite(value) && Number(value) >= 0, "number from 0 on");
const whole = when((value) => Number.isSafeInteger(value), "whole number");
/** The times that a `Date` can have. */
const time = when((value) => Number.isFinite(value) && Math.abs(Number(value)) <= 8.64e15, "time in milliseconds");
const digest = when((value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value), "SHA-256 in hexadecimal");
const mediaType = when((value) => typeof value === "string" && /^[a-z]+\/[\w.+-]+$/i.test(value), "media type");
const name = when(
  (value) => typeof value === "string" && value.length <= 1000 && value.isWellFormed(),
  "name of at most 1000 characters",
);
const any: Check = () => undefined;

function oneOf(...texts: readonly string[]): Check {
  return when((value) => typeof value === "string" && texts.includes(value), `word of ${texts.join(", ")}`);
}

function list(item: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return " is no list";
    for (const [at, one] of value.entries()) {
      const problem = item(one);
      if (problem !== undefined) return `[${String(at)}]${problem}`;
    }
    return undefined;
  };
}

function map(item: Check): Check {
  return (value) => {
    if (!isPlainObject(value)) return " is no object";
    for (const [key, one] of Object.entries(value)) {
      const problem = item(one);
      if (problem !== undefined) return `.${key.slice(0, 80)}${problem}`;
    }
    return undefined;
  };
}

type Fields = Readonly<Record<string, Check>>;

/** An object with these fields. An optional field may be missing. Other fields are left alone: a newer version may have written them. */
function shape(needed: Fields, optional: Fields = {}): Check {
  return (value) => {
    if (!isPlainObject(value)) return " is no object";
    for (const [field, check] of Object.entries({ ...needed, ...optional })) {
      const own = Object.hasOwn(value, field) ? value[field] : undefined;
      if (own === undefined && !Object.hasOwn(needed, field)) continue;
      const problem = check(own);
      if (problem !== undefined) return `.${field}${problem}`;
    }
    return undefined;
  };
}

const texts = list(text);
const object = map(any);
const usage = shape({ inputTokens: amount, cachedInputTokens: amount, outputTokens: amount, reasoningTokens: amount });
const spent = shape({ iterations: amount, tokens: amount, cost: amount });
const attachments = list(shape({ mediaType, digest, size: amount, tokens: amount }, { name }));
const notes = list(shape({ id: text, text, tags: texts, scratched: flag }));
const failed = shape({ kind: text, message: text, advice: text, signature: text }, { tool: text, hint: text });
const definition = shape(
  { model: text, instructions: text, tools: map(text), checks: texts },
  {
    ...{ system: text, texts: map(text) },
    clientTools: list(shape({ name: text, description: text, parameters: object })),
  },
);
const result = shape(
  { callId: text, name: text, ok: flag, text },
  { shown: text, failure: failed, from: oneOf("outside"), notes, attachments },
);
const ofCalls: Fields = { id: text, name: text };
const more: Fields = { source: text, repairs: texts, providerId: text, extras: object };
const calls: Readonly<Record<string, Check>> = {
  call: shape({ ...ofCalls, input: any }, more),
  "unreadable-call": shape({ ...ofCalls, kind: text, source: text, problem: text }, more),
};
const call: Check = (value) => {
  const type = isPlainObject(value) ? value["type"] : undefined;
  return typeof type === "string" && Object.hasOwn(calls, type) ? calls[type]?.(value) : " is no call";
};
const reply = shape(
  { text, calls: list(call), finish: oneOf("complete", "cut", "refused"), usage },
  {
    ...{ extras: object, from: text, model: text },
    learned: shape({ forcing: text, of: text }),
    served: shape({}, { model: text, id: text }),
  },
);
const checkTime = oneOf("baseline", "iteration", "claim", "edit");
const kind = oneOf("rule", "advice");
const receipt = shape(
  {
    ...{ check: text, when: checkTime, passed: flag, judged: flag, digest, duration: amount },
    ...{ failedBefore: amount, flaky: flag, changed: texts, record: whole },
  },
  { exitCode: whole, kind, passedAtBaseline: flag },
);
const approvalProof = shape({
  ...{ key: text, session: text, call: digest, principal: digest },
  ...{ salt: text, at: time, before: text, signature: text },
});
const onceMore: Fields = { sent: text, givenAt: time, by: object, life: text, nonce: text, definition };
const shortening: Fields = { before: whole, tokens: amount };

/** The fields of each type of record. */
const records: Readonly<Record<JournalRecord["type"], Check>> = {
  input: shape({ run: whole, text }, { ...onceMore, attachments, answers: text, lapses: text, notes }),
  resume: shape({}, onceMore),
  steer: shape({ text, sent: text }, { attachments, by: object }),
  reply: shape({ iteration: whole, reply }, { spent, characters: amount, asked: time }),
  decision: shape({ callId: text, allowed: flag, reason: text }, { basis: text, opens: texts }),
  parked: shape(
    { callId: text, name: text, input: any, reason: text, digest },
    { source: any, preview: text, expiresAt: time, quorum: whole },
  ),
  approval: shape(
    { answers: text, allowed: flag },
    { ...onceMore, reason: text, always: flag, text, missing: whole, proof: approvalProof },
  ),
  question: shape(
    { callId: text, id: text, name: text, value: any },
    { replySchema: object, approves: text, expiresAt: time, state: any },
  ),
  answer: shape({ answers: text, value: any }, onceMore),
  child: shape({ callId: text }),
  intent: shape({ callId: text }),
  result: shape({ result }),
  "error-context": shape({ failure: failed }),
  baseline: shape({ begun: object }),
  check: shape(
    { when: checkTime, check: text, passed: flag, output: text, digest, duration: amount },
    { callId: text, exitCode: whole, judged: flag, kind, changed: texts, spent },
  ),
  spend: shape({ spent }, { callId: text }),
  claim: shape(
    { callId: text, by: text, ending: oneOf("completed", "waiting", "stopped"), value: any, receipts: list(receipt) },
    { source: any, unverified: texts, replySchema: object, expiresAt: time },
  ),
  "hand-over": shape({ callId: text, speakers: texts, text, definition }, { nonce: text, tokens: amount }),
  background: shape({ callId: text, work: text }),
  "background-end": shape({ callId: text, work: text, result }),
  iteration: shape({ iteration: whole, failures: texts, ephemeral: flag }, { polled: flag, elapsed: amount }),
  expiry: shape({ message: text, elapsed: amount }),
  notice: shape(
    { about: oneOf("baseline", "check", "stall", "tools", "background", "limit", "closing"), text },
    { reason: text, message: text, definition },
  ),
  stub: shape(shortening, { reader: text }),
  fold: shape({ ...shortening, summary: text, by: oneOf("model", "rule", "hook") }, { notes: text }),
  prune: shape(shortening, { notes: text }),
  overflow: shape({ message: text }),
  fork: shape({ from: text }),
  outcome: shape(
    { status: oneOf("completed", "waiting", "stopped", "aborted", "failed") },
    { reason: text, message: text },
  ),
};

/** The most objects and lists within each other: a reader of a session calls itself for each level. */
const deepest = 200;
/** The most sessions of agents that calls ran. */
const mostChildren = 10_000;

/**
 * Reads a session that came from elsewhere: each record has the fields of its type, and the sessions below belong to its calls.
 * @throws LastcallError `configuration` that names the first problem.
 */
export function soundSession(value: unknown): Session {
  if (!isPlainObject(value)) throw refuse("it is no object");
  const { version, id, children = {}, attachments: files = {} } = value;
  if (version !== 1) throw refuse(`it has version ${shown(version)}, and this lastcall reads version 1`);
  const session = soundOne(id, value["records"]);
  if (session.records.length === 0) throw refuse("it has no records");
  if (!isPlainObject(children)) throw refuse("its children are no object");
  if (Object.keys(children).length > mostChildren)
    throw refuse(`it has more than ${String(mostChildren)} sessions of agents`);
  const below = Object.entries(children).map(([key, child]): readonly [string, Session] => {
    const one = isPlainObject(child) ? soundOne(child["id"], child["records"]) : undefined;
    if (one?.id !== key || rootOf(key) !== rootOf(session.id) || !key.startsWith(`${session.id}/`))
      throw refuse(`${shown(key)} is no session of one of its calls`);
    return [key, one];
  });
  const problem = map(text)(files);
  if (problem !== undefined) throw refuse(`its attachments${problem}`);
  return {
    ...session,
    ...(below.length > 0 && { children: Object.fromEntries(below) }),
    ...(Object.keys(files as object).length > 0 && { attachments: files as Record<string, string> }),
  };
}

/** Checks one session, without the sessions below it. */
function soundOne(id: unknown, found: unknown): Session {
  if (typeof id !== "string") throw refuse("it has no id");
  checkId(id);
  if (!Array.isArray(found)) throw refuse(`the session ${id} has no list of records`);
  for (const [seq, record] of found.entries()) {
    const problem = problemOf(record, seq);
    if (problem !== undefined) throw refuse(`record ${String(seq)} of ${id}${problem}`);
  }
  try {
    replay(found as JournalRecord[]);
  } catch (thrown) {
    throw refuse(`the records of ${id} don't follow from each other: ${explain(thrown)}`);
  }
  return { version: 1, id, records: found as JournalRecord[] };
}

function problemOf(record: unknown, seq: number): string | undefined {
  if (!isPlainObject(record)) return " is no object";
  const { type } = record;
  if (typeof type !== "string" || !Object.hasOwn(records, type))
    return ` has the type ${shown(type)}, which this lastcall does not know: a newer version may`;
  if (record["seq"] !== seq) return ` has the number ${shown(record["seq"])}: a record is missing, or out of place`;
  if (isDeeper(record, deepest)) return ` has more than ${String(deepest)} levels of objects and lists`;
  const at = time(record["at"]);
  return at === undefined ? records[type as JournalRecord["type"]](record) : `.at${at}`;
}

/** True if the value has more levels than these. */
function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

/** A value of the file in a message: short, whatever it is. An object may have more levels than can be written. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return ((JSON.stringify(value) as string | undefined) ?? "none").slice(0, 80);
}

function refuse(what: string): LastcallError {
  return new LastcallError("configuration", `This session can't be imported: ${what}. Nothing was written.`);
}
