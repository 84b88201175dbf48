// Verification of approvals: whether each effect that needed a yes had the right yes before it ran, from a session and keys alone.

import type { Call } from "../data/call.js";
import { isSamePrincipal, principalWords } from "../data/principal.js";
import type { ApprovalRecord, JournalRecord, ParkedRecord, RecordPlace } from "../journal/record.js";
import type { Session } from "../journal/session.js";
import { raiseLimit } from "../journal/spent.js";
import { type ApprovalKey, bytesOf, callHash, fromHex, hashOf, principalHash } from "./proof.js";

/** The verdict about one answer to a call, or about the effect of a call. */
export interface ApprovalVerdict {
  readonly session: string;
  /** The call. */
  readonly callId: string;
  /** The number (`seq`) of the record that the verdict is about. */
  readonly record: number;
  /** The verdict is about an answer to the call, or about an effect of it. */
  readonly about: "answer" | "effect";
  /** The person and the answer, or the effect, in words. */
  readonly what: string;
  /** False if something is wrong. */
  readonly holds: boolean;
  /** The problems in words. Empty if nothing is wrong. */
  readonly problems: readonly string[];
  /** The parts that could not be checked, since they were redacted or left out, in words. Empty if all was checked. */
  readonly unchecked: readonly string[];
}

type Numbered<Type extends JournalRecord["type"]> = Extract<JournalRecord, { readonly type: Type }> & RecordPlace;

/**
 * Verifies the approvals of a session and of the agents that its calls ran, offline: each answer to a call that waited, and each effect of
 * such a call. `keys` are the public keys of Ed25519, from the platform's WebCrypto, by the names that the signers gave. The session holds
 * if every verdict does.
 */
export async function verifyApprovals(
  session: Session,
  keys: Readonly<Record<string, ApprovalKey>>,
): Promise<readonly ApprovalVerdict[]> {
  return verdictsBelow(session, keys);
}

/**
 * The same for a session whose agents did not sign: the order, the times and the number of people. Each answer without a signature says so
 * in `unchecked`; an answer with one has a problem, since there are no keys.
 */
export async function verifyUnsigned(session: Session): Promise<readonly ApprovalVerdict[]> {
  return verdictsBelow(session, undefined);
}

/** The names of the keys that the signatures of a session state, and the signatures of the agents that its calls ran. */
export function keyNamesIn(session: Session): readonly string[] {
  const all = [session, ...Object.values(session.children ?? {})];
  const records: readonly JournalRecord[] = all.flatMap((one) => one.records);
  return [...new Set(records.flatMap((one) => (one.type === "approval" && one.proof ? [one.proof.key] : [])))];
}

/** Public keys by name. Undefined: an answer needs no signature. */
type Keys = Readonly<Record<string, ApprovalKey>> | undefined;

async function verdictsBelow(session: Session, keys: Keys): Promise<readonly ApprovalVerdict[]> {
  const verdicts = await verdictsOf(session, keys);
  for (const child of Object.values(session.children ?? {})) verdicts.push(...(await verdictsOf(child, keys)));
  return verdicts;
}

async function verdictsOf(
  { id: session, records }: Pick<Session, "id" | "records">,
  keys: Keys,
): Promise<ApprovalVerdict[]> {
  const verdicts: ApprovalVerdict[] = [];
  const good = new Map<string, Numbered<"approval">[]>();
  const before = new Before();
  for (const record of records) {
    const callId = effectIn(record) ?? before.wentOnAt(record);
    const parked = callId === undefined ? undefined : before.parked.get(callId);
    if (record.type === "approval") {
      const found = await checkAnswer(record, { session, before, keys });
      verdicts.push(verdictOf(session, record, found));
      if (found.problems.length === 0) good.set(record.answers, [...(good.get(record.answers) ?? []), record]);
    } else if (callId !== undefined && parked !== undefined) {
      const problems = checkEffect(parked, good.get(callId) ?? [], record);
      const about = { about: "effect", what: `the effect of ${parked.name}` } as const;
      verdicts.push({ session, callId, record: record.seq, ...about, ...judged({ problems, unchecked: [] }) });
    }
    before.add(record);
  }
  return verdicts;
}

/** The call that begins to have an effect with the record, or has had one. */
function effectIn(record: JournalRecord): string | undefined {
  if (record.type === "intent" || record.type === "claim") return record.callId;
  return record.type === "result" && record.result.failure === undefined ? record.result.callId : undefined;
}

/** The things that count of the records so far. A journal may be long, so its records are read once. */
class Before {
  /** The calls that waited for an answer, by id. */
  readonly parked = new Map<string, Numbered<"parked">>();
  /** The calls of all replies, by id. */
  readonly calls = new Map<string, Call>();
  lastApproval: Numbered<"approval"> | undefined;
  /** The question of a run that waits at its limit. */
  #atLimit: Numbered<"parked"> | undefined;
  /** The time of the last record, in milliseconds since 1970. */
  at = 0;
  /** True if a record is from before the record in front of it. */
  isSetBack = false;

  /** The question at a limit, if the run goes on with the record: that is the effect of a yes. */
  wentOnAt({ type }: JournalRecord): string | undefined {
    return type === "reply" ? this.#atLimit?.callId : undefined;
  }

  add(record: JournalRecord): void {
    this.isSetBack ||= record.at < this.at;
    this.at = record.at;
    if (record.type === "parked") this.parked.set(record.callId, record);
    if (record.type === "parked" && record.name === raiseLimit && !this.calls.has(record.callId))
      this.#atLimit = record;
    // Another run begins, the last iteration of this run follows, or the run has gone on.
    else if (record.type === "input" || record.type === "reply" || isClosing(record)) this.#atLimit = undefined;
    if (record.type === "approval") this.lastApproval = record;
    if (record.type === "reply") for (const call of record.reply.calls) this.calls.set(call.id, call);
  }
}

function isClosing(record: JournalRecord): boolean {
  return record.type === "notice" && record.about === "closing";
}

interface Found {
  readonly problems: readonly string[];
  readonly unchecked: readonly string[];
}

interface Place {
  readonly session: string;
  readonly before: Before;
  readonly keys: Keys;
}

async function checkAnswer(record: Numbered<"approval">, { session, before, keys }: Place): Promise<Found> {
  const { proof, answers, by } = record;
  const parked = before.parked.get(answers);
  if (parked === undefined) return { problems: [`no call ${answers} waited for it`], unchecked: [] };
  const problems: string[] = [];
  const unchecked: string[] = [];
  const say = (isWrong: boolean, problem: string): void => {
    if (isWrong) problems.push(problem);
  };
  const sayTimes = (given: number): void => {
    say(before.isSetBack, "a clock was set back before it");
    say(given >= (parked.expiresAt ?? Infinity), "its time was over");
  };
  if (proof === undefined && keys !== undefined) return { problems: ["it has no signature"], unchecked };
  if (proof === undefined) {
    say(record.at < before.at, "its time does not fit the records around it");
    sayTimes(record.givenAt ?? record.at);
    return { problems, unchecked: ["it has no signature"] };
  }
  say(!(await isSigned(record, proof, keyNamed(proof.key, keys))), whyUnsigned(proof.key, keys));
  say(proof.session !== session, `it was given in another session, ${proof.session}`);
  const { calls, lastApproval: last } = before;
  const call = calls.get(parked.callId);
  say(proof.before !== (await hashOf(last)), "the approval before it is another: one was removed, added or moved");
  const isShown = proof.call === (await callHash(parked, call));
  if (!isShown && isRedacted(parked, call)) unchecked.push("the call was redacted after its answer");
  else say(!isShown, "the call is not the call that was shown");
  if (by === undefined && proof.principal !== (await principalHash(undefined, proof.salt)))
    unchecked.push("the person was left out after the answer");
  else say(proof.principal !== (await principalHash(by, proof.salt)), "the person is another");
  const lastAt = last === undefined ? parked.at : (last.proof?.at ?? last.at);
  say(proof.at < parked.at || proof.at < lastAt || record.at < proof.at, "its time does not fit the records around it");
  sayTimes(record.givenAt ?? proof.at);
  return { problems, unchecked };
}

async function isSigned(
  record: ApprovalRecord,
  proof: NonNullable<ApprovalRecord["proof"]>,
  key: ApprovalKey | undefined,
): Promise<boolean> {
  const signature = fromHex(proof.signature);
  if (key === undefined || signature === undefined) return false;
  return crypto.subtle.verify(
    "Ed25519",
    key as Parameters<typeof crypto.subtle.verify>[1],
    signature,
    bytesOf(record, proof),
  );
}

/** The name comes from the journal, so it may be the name of a property that each object has. */
function keyNamed(name: string, keys: Keys = {}): ApprovalKey | undefined {
  return Object.hasOwn(keys, name) ? keys[name] : undefined;
}

function whyUnsigned(key: string, keys: Keys): string {
  return keyNamed(key, keys) !== undefined ? "its signature does not fit what it says" : `there is no key ${key}`;
}

/** True if the call has a mark of redaction, so that its hash may be of what it was before. */
function isRedacted(parked: ParkedRecord, call: Call | undefined): boolean {
  return JSON.stringify([parked, call]).includes("[redacted");
}

/** Checks that as many people as the call needs had said yes before its effect, and nobody no. */
function checkEffect(
  { quorum = 1 }: ParkedRecord,
  answers: readonly Numbered<"approval">[],
  effect: JournalRecord,
): readonly string[] {
  const yeses = answers.filter(({ allowed }) => allowed);
  const people = yeses.filter(
    ({ by }, index) => !yeses.slice(0, index).some((one) => by && one.by && isSamePrincipal(one.by, by)),
  );
  const problems: string[] = [];
  if (answers.some(({ allowed }) => !allowed)) problems.push("it was refused");
  if (people.length < quorum)
    problems.push(`${String(people.length)} of ${String(quorum)} people had said a yes that holds before it`);
  if (answers.some(({ proof }) => effect.at < (proof?.at ?? 0))) problems.push("it is from before its yes");
  return problems;
}

function verdictOf(session: string, record: Numbered<"approval">, found: Found): ApprovalVerdict {
  const { answers: callId, seq, allowed, by } = record;
  const what = `the ${allowed ? "yes" : "no"} of ${by === undefined ? "a caller without a name" : principalWords(by)}`;
  return { session, callId, record: seq, about: "answer", what, ...judged(found) };
}

function judged({ problems, unchecked }: Found): Pick<ApprovalVerdict, "holds" | "problems" | "unchecked"> {
  return { holds: problems.length === 0, problems, unchecked };
}
