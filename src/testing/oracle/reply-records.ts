// The oracle over one reply: checks the records between a reply and the end of its iteration.

import type { Failure, JournalRecord } from "../../core/index.js";
import {
  effectKey,
  formKinds,
  type CheckRecord,
  type ClaimRecord,
  type ApprovalRecord,
  type AnswerRecord,
  type IterationRecord,
  type ParkedRecord,
  type QuestionRecord,
  type ReplyRecord,
} from "../../core/internal.js";
import { demand, demandEqual } from "./demand.js";

/** Facts about the whole journal. */
export interface Rules {
  /** By tool name: true if the tool has an effect that needs an intent. */
  readonly effects: ReadonlyMap<string, boolean>;
  readonly hooks: boolean;
  /** The ids of all calls so far. */
  readonly ids: Set<string>;
  /** The names of the calls that go on in the background, by their ids. */
  readonly background: Map<string, string>;
}

type Numbered<Body> = Body & { readonly seq: number; readonly at: number };

/** A call of the open reply. */
interface OpenCall {
  readonly id: string;
  readonly index: number;
  readonly name: string;
  /** The decision of the permission; undefined before it. */
  allowed?: boolean | undefined;
  intended?: boolean;
  isAnswered?: boolean;
  /** The record that parked the call; undefined if it never waited for an approval. */
  parked?: Numbered<ParkedRecord>;
  /** The people who said yes so far. */
  yeses?: readonly string[];
  /** The answer to the parked call. */
  approval?: ApprovalRecord;
  /** True once its agent has begun. */
  hasChild?: boolean;
  /** The last question that it asked. */
  question?: Numbered<QuestionRecord>;
  /** True once the last question was answered. */
  isQuestionAnswered?: boolean;
  readonly checks: Numbered<CheckRecord>[];
}

/** A reply whose iteration is not closed yet. */
export interface OpenReply {
  readonly record: ReplyRecord;
  readonly calls: ReadonlyMap<string, OpenCall>;
  /** The indices of the answered calls, in the order of their results: one list before an approval, and one after each. */
  readonly orders: number[][];
  readonly failures: Failure[];
  /** True once the reply must stay in the prompt: a tool ran, or a failure is a fact about the world. */
  stays: boolean;
  /** True if something was changed, in this iteration or in an earlier iteration that was closed without its checks. */
  isUnchecked: boolean;
  /** True once checks were run after its calls. */
  isChecked: boolean;
  /** True until a reply without a call has its failure recorded. */
  lacksBlame: boolean;
  claim: Numbered<ClaimRecord> | undefined;
}

type Between = Exclude<
  JournalRecord,
  {
    readonly type:
      | "input"
      | "reply"
      | "iteration"
      | "baseline"
      | "expiry"
      | "steer"
      | "resume"
      | "approval"
      | "answer"
      | "stub"
      | "fold"
      | "prune"
      | "background"
      | "background-end"
      | "overflow"
      | "outcome"
      | "fork";
  }
>;

/** Opens a reply of the run that last went on in this life. */
export function openReply(
  record: ReplyRecord,
  {
    run,
    life,
    isUnchecked,
  }: { readonly run: number; readonly life: string | undefined; readonly isUnchecked: boolean },
  { ids }: Rules,
): OpenReply {
  const { iteration, reply } = record;
  const calls = reply.calls.map(({ id, name }, index): OpenCall => {
    const key = effectKey(`/${String(run)}`, `call:${String(iteration)}:${String(index)}`, { laterLife: life });
    demand(id.endsWith(key), `the id ${id} does not end with ${key}`);
    demand(!ids.has(id), `two calls have the id ${id}`);
    ids.add(id);
    return { id, index, name, checks: [] };
  });
  return {
    record,
    calls: new Map(calls.map((call) => [call.id, call])),
    orders: [[]],
    failures: [],
    stays: false,
    isUnchecked,
    isChecked: false,
    lacksBlame: calls.length === 0 && reply.finish !== "refused",
    claim: undefined,
  };
}

/** Resets the unanswered calls after a resume: permission, checks and intents start again. */
export function reopenReply({ calls }: OpenReply): void {
  for (const call of calls.values()) {
    if (call.isAnswered === true) continue;
    call.allowed = undefined;
    call.intended = false;
    call.checks.length = 0;
  }
}

/** True if a call of the reply waits for an approval or an answer. */
export function waitsForSomebody({ calls }: OpenReply): boolean {
  return [...calls.values()].some(isWaiting);
}

/** True if the run may end and go on with this reply: a call waits for an approval or an answer, or has it and has not begun. */
export function mayStayOpen({ calls }: OpenReply): boolean {
  return [...calls.values()].some(
    ({ parked, question, intended = false, isAnswered = false }) =>
      (parked !== undefined || question !== undefined) && !intended && !isAnswered,
  );
}

/** Checks the answer to a call that asked. It starts again, and so do the other calls without a result. */
export function answerQuestion(open: OpenReply, record: Numbered<AnswerRecord>): void {
  const call = [...open.calls.values()].find(({ question }) => question?.id === record.answers);
  demand(call !== undefined && asks(call), `no call waits for an answer to ${record.answers}`);
  demand((record.givenAt ?? record.at) < (call.question?.expiresAt ?? Infinity), "its time was over");
  reopenReply(open);
  call.isQuestionAnswered = true;
  open.orders.push([]);
}

/** Checks the answer to a parked call. What was decided about other calls without a result starts again. */
export function approve(open: OpenReply, record: Numbered<ApprovalRecord>): void {
  const call = open.calls.get(record.answers);
  demand(call?.parked !== undefined && isWaiting(call), `no call ${record.answers} waits for an approval`);
  demand((record.givenAt ?? record.at) < (call.parked.expiresAt ?? Infinity), "its time was over");
  reopenReply(open);
  call.yeses = record.allowed ? withYes(call.yeses ?? [], record) : [];
  const missing = record.allowed ? (call.parked.quorum ?? 1) - call.yeses.length : 0;
  demand((record.missing ?? 0) === missing, `${String(missing)} more people have to say yes`);
  if (missing === 0) call.approval = record;
  open.orders.push([]);
}

/** The people who said yes, by tenant and id. The only person of a call has no name, if nobody said it. */
function withYes(yeses: readonly string[], { by, missing }: ApprovalRecord): readonly string[] {
  demand(by !== undefined || (missing === undefined && yeses.length === 0), "a yes among several has no principal");
  const who = JSON.stringify([by?.tenant, by?.id]);
  demand(!yeses.includes(who), "the same person has said yes before");
  return [...yeses, who];
}

function isWaiting(call: OpenCall): boolean {
  const { parked, approval, isAnswered = false } = call;
  return asks(call) || (parked !== undefined && approval === undefined && !isAnswered);
}

function asks({ question, isQuestionAnswered = false, isAnswered = false }: OpenCall): boolean {
  return question !== undefined && !isQuestionAnswered && !isAnswered;
}

/** Checks a record about a call that waits: nothing but a denial or the failure may come, once the time is over. */
function answerWaiting(call: OpenCall, record: Between): void {
  if (!isWaiting(call)) return;
  const isDenial = record.type === "decision" && !record.allowed;
  const isOver = record.type === "result" && (call.allowed === false || asks(call));
  demand(isDenial || isOver, `${call.id} waits for an approval or an answer`);
  const { expiresAt = Infinity } = (asks(call) ? call.question : call.parked) ?? {};
  demand(record.at >= expiresAt, `${call.id} can still be answered`);
}

/** Checks one record that belongs to the open reply, and updates the reply. */
export function answer(open: OpenReply, record: Between, rules: Rules): void {
  demand(open.claim === undefined, "it comes after the claim was accepted");
  if (record.type === "error-context") {
    demand(open.lacksBlame, "the reply has calls, was refused, or was told already");
    open.lacksBlame = false;
    open.failures.push(record.failure);
    return;
  }
  if (record.type === "spend") {
    const { callId } = record;
    const calls = [...open.calls.values()].filter(({ id }) => callId === undefined || id === callId);
    // After a resume it is told before the call runs again.
    const mayHaveSpent = (one: OpenCall): boolean =>
      isRunning(one) || (callId !== undefined && one.hasChild === true && one.isAnswered !== true);
    demand(calls.some(mayHaveSpent), "no call runs that could have spent it");
    return;
  }
  if (record.type === "notice" || (record.type === "check" && record.when === "iteration")) {
    demand(
      [...open.calls.values()].every(({ isAnswered }) => isAnswered),
      "a call has no result yet",
    );
    demand(open.stays || open.isUnchecked, "nothing was changed that could be checked");
    open.isChecked ||= record.type === "check";
    return;
  }
  const id = record.type === "result" ? record.result.callId : record.callId;
  demand(id !== undefined, "a check at a claim says which");
  const call = open.calls.get(id);
  demand(call !== undefined, `the open reply has no call ${id}`);
  demand(call.isAnswered !== true, `the call ${id} has its result already`);
  answerWaiting(call, record);
  const { finish } = open.record.reply;
  if (record.type === "result") {
    demand(finish === "complete" || !record.result.ok, `the reply is ${finish}, and yet ${id} succeeded`);
    takeResult(open, call, record, rules);
    return;
  }
  demand(finish === "complete", `the reply is ${finish}, so nothing of it may run`);
  switch (record.type) {
    case "check":
      demand(call.allowed === undefined, "a check comes before permission is asked");
      call.checks.push(record);
      return;
    case "decision":
      demand(rules.hooks || call.allowed === undefined, `permission was asked twice about ${id}`);
      demand(!record.allowed || call.approval?.allowed !== false, `${id} was refused and is allowed`);
      call.allowed = record.allowed;
      return;
    case "parked":
      demand(record.name === call.name, `the call's name is ${call.name}`);
      demand(rules.hooks || call.allowed === undefined, `${id} was decided about and waits for an approval`);
      demand(call.approval === undefined, `${id} was answered and waits for an approval again`);
      demand(call.intended !== true, `${id} has begun and waits for an approval`);
      call.parked = record;
      return;
    case "question":
      demand(record.name === call.name, `the call's name is ${call.name}`);
      demand(call.allowed === true, `nothing allowed ${id}, and it asks`);
      demand(record.id.startsWith(`${id}/ask:`) && record.id !== call.question?.id, `${record.id} is no new id`);
      call.question = record;
      call.isQuestionAnswered = false;
      call.allowed = undefined;
      call.intended = false;
      return;
    case "child":
      demand(call.allowed === true, `nothing allowed ${id}, and it runs an agent`);
      demand(call.hasChild !== true, `the agent of ${id} begins twice`);
      call.hasChild = true;
      return;
    case "intent":
      demand(call.allowed === true, `nothing allowed ${id}`);
      demand(rules.hooks || call.intended !== true, `${id} was intended twice`);
      demand(call.parked === undefined || call.approval?.allowed === true, `nobody has approved ${id}`);
      demand(![...open.calls.values()].some(isWaiting), "a call before it waits for an approval");
      demand(rules.hooks || rules.effects.get(call.name) !== false, `${call.name} declares that it changes nothing`);
      demand(rules.hooks || ![...open.calls.values()].some(isAtWork), "another call with an effect has no result yet");
      call.intended = true;
      open.stays = true;
      open.isUnchecked = true;
      return;
    case "hand-over":
      takeHandOver(open, call, rules);
      return;
    case "claim":
      takeClaim(open, call, record, rules);
  }
}

type ResultRecord = Extract<JournalRecord, { readonly type: "result" }>;

function takeResult(open: OpenReply, call: OpenCall, { result }: ResultRecord, rules: Rules): void {
  const { id, checks, allowed } = call;
  const { failure } = result;
  demand(result.ok === (failure === undefined), "a result has a failure exactly where it is not ok");
  demand(result.name === call.name, `the call's name is ${call.name}`);
  const kind = failure?.kind;
  if (kind === undefined || kind === "tool_error" || kind === "tool_timeout") demandRun(call, rules);
  if (!rules.hooks) {
    demand(kind !== "denied" || allowed === false, `no decision denied ${id}`);
    demand(allowed !== false || kind === "denied" || kind === "interrupted", `${id} was denied and has another result`);
    demand(kind !== "check_failed" || checks.at(-1)?.passed === false, `no check of ${id} failed`);
    const mayRefuse = open.failures.length > 0 || rules.background.size > 0;
    demand(kind !== "claim_refused" || mayRefuse, `no call beside ${id} failed, and no work goes on`);
  }
  call.isAnswered = true;
  open.orders.at(-1)?.push(call.index);
  if (failure !== undefined) open.failures.push(failure);
  if (kind === undefined || !leavesNothing.has(kind)) open.stays = true;
}

function takeHandOver(open: OpenReply, call: OpenCall, rules: Rules): void {
  const others = [...open.calls.values()].filter((other) => other !== call && other.isAnswered !== true);
  demand(others.length === 0, `the run was handed over before ${ids(others)} had a result`);
  demand(open.failures.length === 0, "the run was handed over beside a call that failed");
  demandRun(call, rules);
  call.isAnswered = true;
  open.orders.at(-1)?.push(call.index);
  open.stays = true;
}

function takeClaim(open: OpenReply, call: OpenCall, claim: Numbered<ClaimRecord>, rules: Rules): void {
  const others = [...open.calls.values()].filter((other) => other !== call && other.isAnswered !== true);
  demand(others.length === 0, `it was accepted before ${ids(others)} had a result`);
  demand(open.failures.length === 0, "it was accepted beside a call that failed");
  demand(claim.by === call.name, `the call's name is ${call.name}`);
  demand(
    call.checks.every(({ passed, kind }) => passed || kind === "advice"),
    "it was accepted although a check failed",
  );
  const seen = call.checks.map(({ check, digest, duration, seq }) => [check, digest, duration, seq]);
  const kept = claim.receipts
    .filter(({ when }) => when === "claim")
    .toSorted((a, b) => a.record - b.record)
    .map(({ check, digest, duration, record }) => [check, digest, duration, record]);
  demandEqual(kept, seen, "its receipts");
  demand(
    claim.receipts.every(({ passed, kind }) => passed || kind === "advice"),
    "it has a receipt of a check that failed",
  );
  demandRun(call, rules);
  call.isAnswered = true;
  open.orders.at(-1)?.push(call.index);
  open.stays = true;
  open.claim = claim;
}

/** True if the call of the reply was allowed and has no result yet. */
export function runs({ calls }: OpenReply, id: string): boolean {
  const call = calls.get(id);
  return call !== undefined && isRunning(call);
}

function isRunning({ allowed = false, isAnswered = false }: OpenCall): boolean {
  return allowed && !isAnswered;
}

function isAtWork({ intended = false, isAnswered = false }: OpenCall): boolean {
  return intended && !isAnswered;
}

/** Checks that a call that ran was allowed, and that it had an intent if it has an effect. */
function demandRun({ id, name, allowed, intended }: OpenCall, { effects, hooks }: Rules): void {
  if (hooks) return;
  demand(allowed === true, `${id} ran, and nothing allowed it`);
  demand(effects.get(name) !== true || intended === true, `${id} had its effect without an intent`);
}

/** Checks the end of the iteration against its reply. */
export function closeReply(open: OpenReply, { iteration, failures, ephemeral }: IterationRecord): void {
  demand(iteration === open.record.iteration, `iteration ${String(open.record.iteration)} is open`);
  const unanswered = [...open.calls.values()].filter((call) => call.isAnswered !== true);
  demand(unanswered.length === 0, `there is no result for ${ids(unanswered)}`);
  demand(open.orders.every(isInOrder), "the results are not in the order of the calls");
  const signatures = open.failures.map(({ signature }) => signature);
  demandEqual(failures, signatures, "its failures");
  demandEqual(ephemeral, signatures.length > 0 && !open.stays, "ephemeral");
}

/** True if the results are in the order of the calls, except that one call, the claim, may come at any place. */
function isInOrder(order: readonly number[]): boolean {
  return [-1, ...order].some((claim) => {
    const rest = order.filter((index) => index !== claim);
    return rest.every((index, place) => place === 0 || index > (rest[place - 1] ?? 0));
  });
}

function ids(calls: readonly OpenCall[]): string {
  return calls.map(({ id }) => id).join(", ");
}

/** The kinds of failures that do not keep a reply in the prompt once the model recovers. */
const leavesNothing: ReadonlySet<Failure["kind"]> = new Set<Failure["kind"]>([...formKinds, "claim_refused"]);
