// The oracle over one reply: checks the records between a reply and the end of its iteration.

import type { Failure, JournalRecord } from "../../core/index.js";
import {
  formKinds,
  type CheckRecord,
  type ClaimRecord,
  type IterationRecord,
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
}

type Numbered<Body> = Body & { readonly seq: number };

/** A call of the open reply. */
interface OpenCall {
  readonly id: string;
  readonly index: number;
  readonly name: string;
  /** The decision of the permission; undefined before it. */
  allowed?: boolean | undefined;
  intended?: boolean;
  isAnswered?: boolean;
  readonly checks: Numbered<CheckRecord>[];
}

/** A reply whose iteration is not closed yet. */
export interface OpenReply {
  readonly record: ReplyRecord;
  readonly calls: ReadonlyMap<string, OpenCall>;
  /** The indices of the answered calls, in the order of their results. */
  readonly order: number[];
  readonly failures: Failure[];
  /** True once the reply must stay in the prompt: a tool ran, or a failure is a fact about the world. */
  stays: boolean;
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
      | "stub"
      | "fold"
      | "prune"
      | "overflow"
      | "outcome";
  }
>;

/** Opens a reply. */
export function openReply(record: ReplyRecord, run: number, { ids }: Rules): OpenReply {
  const { iteration, reply } = record;
  const calls = reply.calls.map(({ id, name }, index): OpenCall => {
    const key = `/${String(run)}/call:${String(iteration)}:${String(index)}`;
    demand(id.endsWith(key), `the id ${id} does not end with ${key}`);
    demand(!ids.has(id), `two calls have the id ${id}`);
    ids.add(id);
    return { id, index, name, checks: [] };
  });
  return {
    record,
    calls: new Map(calls.map((call) => [call.id, call])),
    order: [],
    failures: [],
    stays: false,
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
    demand([...open.calls.values()].some(isRunning), "no call runs that could have spent it");
    return;
  }
  if (record.type === "notice" || (record.type === "check" && record.when === "iteration")) {
    demand(
      [...open.calls.values()].every(({ isAnswered }) => isAnswered),
      "a call has no result yet",
    );
    demand(open.stays, "nothing was changed that could be checked");
    return;
  }
  const id = record.type === "result" ? record.result.callId : record.callId;
  demand(id !== undefined, "a check at a claim says which");
  const call = open.calls.get(id);
  demand(call !== undefined, `the open reply has no call ${id}`);
  demand(call.isAnswered !== true, `the call ${id} has its result already`);
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
      call.allowed = record.allowed;
      return;
    case "intent":
      demand(call.allowed === true, `nothing allowed ${id}`);
      demand(rules.hooks || call.intended !== true, `${id} was intended twice`);
      demand(rules.hooks || rules.effects.get(call.name) !== false, `${call.name} declares that it changes nothing`);
      demand(rules.hooks || ![...open.calls.values()].some(isAtWork), "another call with an effect has no result yet");
      call.intended = true;
      open.stays = true;
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
    demand(kind !== "claim_refused" || open.failures.length > 0, `no call beside ${id} failed`);
  }
  call.isAnswered = true;
  open.order.push(call.index);
  if (failure !== undefined) open.failures.push(failure);
  if (kind === undefined || !leavesNothing.has(kind)) open.stays = true;
}

function takeClaim(open: OpenReply, call: OpenCall, claim: Numbered<ClaimRecord>, rules: Rules): void {
  const others = [...open.calls.values()].filter((other) => other !== call && other.isAnswered !== true);
  demand(others.length === 0, `it was accepted before ${ids(others)} had a result`);
  demand(open.failures.length === 0, "it was accepted beside a call that failed");
  demand(claim.by === call.name, `the call's name is ${call.name}`);
  demand(
    call.checks.every(({ passed }) => passed),
    "it was accepted although a check failed",
  );
  const seen = call.checks.map(({ check, digest, duration, seq }) => [check, digest, duration, seq]);
  const kept = claim.receipts
    .filter(({ when }) => when === "claim")
    .toSorted((a, b) => a.record - b.record)
    .map(({ check, digest, duration, record }) => [check, digest, duration, record]);
  demandEqual(kept, seen, "its receipts");
  demand(
    claim.receipts.every(({ passed }) => passed),
    "it has a receipt of a check that failed",
  );
  demandRun(call, rules);
  call.isAnswered = true;
  open.order.push(call.index);
  open.stays = true;
  open.claim = claim;
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
  demand(isInOrder(open.order), "the results are not in the order of the calls");
  const signatures = open.failures.map(({ signature }) => signature);
  demandEqual(failures, signatures, "its failures");
  demandEqual(ephemeral, signatures.length > 0 && !open.stays, "ephemeral");
}

/** True if the results are in the order of the calls, except that one of them, the claim, may come at any place. */
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
