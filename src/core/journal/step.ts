// Step: computes the state after one more record, so that the loop never replays the whole journal.

import { addUsage } from "../data/call.js";
import { countIteration } from "./circuit.js";
import type { Definition } from "../data/definition.js";
import { isMistakeOfForm, type Failure } from "../data/failure.js";
import { isCounted, onlyAdds, sizeAfter } from "./ledger.js";
import type { Receipt } from "../data/receipt.js";
import type {
  ApprovalRecord,
  CheckRecord,
  HandOverRecord,
  IterationRecord,
  JournalRecord,
  NoticeRecord,
  ParkedRecord,
  ReplyRecord,
  ResultRecord,
  ResumeRecord,
} from "./record.js";
import { addSpent, spentOn, type LimitRaise } from "./spent.js";
import { countRepetition, noStall, resultSignature, type Stall } from "./stall.js";
import { dueOf, emptyState, isLimitQuestion, type State, type Unanswered } from "./state.js";

/** A state that is being changed. Nobody else has it yet. */
type Draft = { -readonly [Field in keyof State]: State[Field] };

/** The state after one more record. */
export function step(state: State, record: JournalRecord): State {
  const next: Draft = { ...state, prompt: sizeAfter(state.prompt, record, state.nonce) };
  apply(record, next);
  return next;
}

/** The state after all the records. Texts are measured only if they were added to the prompt since its last count. */
export function replay(records: readonly JournalRecord[]): State {
  const state: Draft = { ...emptyState };
  const count = records.findLastIndex(isCounted);
  for (const [index, record] of records.entries()) {
    if (index > count || !onlyAdds(record)) state.prompt = sizeAfter(state.prompt, record, state.nonce);
    apply(record, state);
  }
  return state;
}

/** Changes the state by the record, besides the size of the prompt. No object is made for fields that stay as they are. */
function apply(record: JournalRecord, state: Draft): void {
  state.seq = record.seq + 1;
  switch (record.type) {
    case "input": {
      const { baseline, prompt, seq, speakers, background, backgrounds, definition, texts } = state;
      const { text, run, nonce, life, by } = record;
      // A run without new words follows from the words before.
      const principal = text === "" ? state.principal : by;
      Object.assign(state, emptyState, { seq, run, life, baseline, prompt, nonce, speakers, principal });
      Object.assign(state, { background, backgrounds, definition, texts });
      define(state, record.definition);
      state.inputs = text === "" ? [] : [text];
      break;
    }
    case "reply":
      applyReply(record, state);
      break;
    case "intent":
      state.stays = true;
      state.changedAt = record.seq;
      state.unanswered = replaceCall(state.unanswered, record.callId, (call) => [{ ...call, intended: true }]);
      break;
    case "result":
      applyResult(record, state);
      break;
    case "error-context":
      fail(state, record.failure);
      break;
    case "check":
      applyCheck(record, state);
      break;
    case "baseline":
      state.baseline = { ...state.baseline, begun: record.begun };
      break;
    case "spend":
      state.spent = addSpent(state.spent, record.spent);
      break;
    case "claim":
      state.claim = record;
      state.stays = true;
      state.unanswered = replaceCall(state.unanswered, record.callId, () => []);
      break;
    case "hand-over":
      applyHandOver(record, state);
      break;
    case "iteration":
      state.open = false;
      state.circuit = countIteration(state.circuit, record.failures);
      state.stall = stallAfter(state, record);
      state.elapsed = record.elapsed ?? state.elapsed;
      closeLast(state);
      break;
    case "expiry":
      state.elapsed = record.elapsed;
      state.expired = record.message;
      closeLast(state);
      break;
    case "notice":
      applyNotice(record, state);
      break;
    case "overflow":
      state.full = record.message;
      closeLast(state);
      break;
    case "steer":
      state.inputs = [...state.inputs, record.text];
      state.principal = record.by;
      state.circuit = emptyState.circuit;
      state.stall = emptyState.stall;
      break;
    case "outcome":
      state.ended = record.status;
      if (record.status === "completed") state.baseline = emptyState.baseline;
      break;
    case "resume":
      reopen(record, state);
      break;
    case "parked":
      if (isLimitQuestion(state, record)) {
        state.unanswered = [...state.unanswered, askedAtLimit(record, state)];
        break;
      }
      // A call that was left at work may have to wait when it is to run again. Its intent is over.
      state.unanswered = replaceCall(state.unanswered, record.callId, (call) => [
        { ...call, intended: false, parked: record },
      ]);
      break;
    case "question": {
      // The call runs again from its start, so its intent is over.
      const asks = (call: Unanswered): readonly Unanswered[] => [
        { ...call, intended: false, questions: [...(call.questions ?? []), { question: record }] },
      ];
      state.unanswered = replaceCall(state.unanswered, record.callId, asks);
      break;
    }
    case "child":
      state.unanswered = replaceCall(state.unanswered, record.callId, (call) => [{ ...call, hasChild: true }]);
      state.background = state.background.map((call) =>
        call.callId === record.callId ? { ...call, hasChild: true } : call,
      );
      break;
    case "background": {
      const { callId, work } = record;
      const call = state.unanswered.find((one) => one.callId === callId);
      const { name = "", input, hasChild, principal } = call ?? {};
      state.background = [
        ...state.background,
        { callId, work, name, input, ...(hasChild && { hasChild }), ...(principal && { principal }) },
      ];
      state.backgrounds += 1;
      break;
    }
    case "background-end":
      state.background = state.background.filter(({ callId }) => callId !== record.callId);
      break;
    case "answer": {
      const { answers, value, by } = record;
      const answered = ({ questions = [], ...call }: Unanswered): readonly Unanswered[] => [
        {
          ...call,
          questions: questions.map((one, at) => (at === questions.length - 1 ? { ...one, answer: record } : one)),
        },
      ];
      reopen(record, state);
      state.inputs = [...state.inputs, typeof value === "string" ? value : JSON.stringify(value)];
      state.principal = by;
      state.unanswered = replaceCall(state.unanswered, dueOf(state, answers)?.callId ?? answers, answered);
      break;
    }
    case "approval": {
      const { answers, text, by } = record;
      reopen(record, state);
      if (text !== undefined) {
        state.inputs = [...state.inputs, text];
        state.principal = by;
      }
      if (record.missing === undefined) settleLimit(record, state);
      state.unanswered = replaceCall(state.unanswered, answers, (call) => [
        record.missing === undefined
          ? { ...call, approval: record }
          : { ...call, yeses: [...(call.yeses ?? []), record] },
      ]);
      break;
    }
    case "decision": {
      const { opens } = record;
      if (opens !== undefined)
        state.unanswered = replaceCall(state.unanswered, record.callId, (call) => [{ ...call, opened: opens }]);
      break;
    }
    case "stub":
    case "fold":
    case "prune":
    case "fork":
      break;
    default:
      record satisfies never;
      throw new Error(`there is no record of the type ${JSON.stringify((record as JournalRecord).type)}`);
  }
}

function askedAtLimit(parked: ParkedRecord, { principal }: State): Unanswered {
  const { callId, name, input } = parked;
  return { callId, name, intended: false, input, parked, ...(principal && { principal }) };
}

/** Adds to the limit that the answer is about, or keeps the no. Does nothing if it is about a call. */
function settleLimit({ answers, allowed, reason = "" }: ApprovalRecord, state: Draft): void {
  const { unanswered, raised } = state;
  const parked = unanswered.find(({ callId }) => callId === answers)?.parked;
  if (parked === undefined || !isLimitQuestion(state, parked)) return;
  state.unanswered = replaceCall(unanswered, answers, () => []);
  if (!allowed) {
    state.noMore = reason;
    return;
  }
  const { limit, more } = parked.input as unknown as LimitRaise;
  state.raised = { ...raised, [limit]: (raised[limit] ?? 0) + more };
  state.warned = state.warned.filter((warned) => warned !== limit);
  if (limit === "timeout") state.expired = undefined;
}

function applyReply({ reply, iteration, spent }: ReplyRecord, state: Draft): void {
  state.iteration = iteration;
  state.open = true;
  state.usage = addUsage(state.usage, reply.usage);
  state.text = reply.text || state.text;
  state.unanswered = reply.calls.map((call) => ({
    callId: call.id,
    name: call.name,
    intended: false,
    input: call.type === "call" ? call.input : call.source,
    ...(state.principal && { principal: state.principal }),
  }));
  state.successes = [];
  state.failures = [];
  state.stays = false;
  state.refused = reply.finish === "refused";
  state.spent = addSpent(state.spent, spent ?? spentOn(reply.usage, undefined));
  if (state.closing) state.closing = { ...state.closing, calls: reply.calls };
}

function applyResult({ result }: ResultRecord, state: Draft): void {
  const { failure, callId, name, text } = result;
  const input = state.unanswered.find((unanswered) => unanswered.callId === callId)?.input;
  state.unanswered = replaceCall(state.unanswered, callId, () => []);
  if (failure === undefined) {
    state.successes = [...state.successes, { name, input, text }];
    state.stays = true;
    return;
  }
  fail(state, failure);
  state.stays ||= !leavesNothing(failure);
}

/** Another agent speaks. It has its own checks, and nobody has warned it of a limit yet. */
function applyHandOver({ callId, speakers, definition, nonce }: HandOverRecord, state: Draft): void {
  const { checks, baseline, failedAttempts, told, warned, stall } = emptyState;
  Object.assign(state, { checks, baseline, failedAttempts, told, warned, stall });
  state.speakers = speakers;
  state.handOvers += 1;
  define(state, definition);
  state.nonce = nonce ?? state.nonce;
  state.stays = true;
  state.unanswered = replaceCall(state.unanswered, callId, () => []);
}

function applyNotice(record: NoticeRecord, state: Draft): void {
  switch (record.about) {
    case "baseline":
    case "check":
      state.told = failing(state);
      break;
    case "limit":
      state.warned = [...state.warned, record.reason];
      break;
    case "closing":
      state.closing = { reason: record.reason, message: record.message, over: false, calls: [] };
      break;
    case "tools":
      define(state, record.definition);
      break;
    case "background":
    case "stall":
      break;
  }
}

/** The closing iteration has ended or can't end, if the run is being closed. */
function closeLast(state: Draft): void {
  if (state.closing) state.closing = { ...state.closing, over: true };
}

/** Another definition of the agent. The state has the digests alone: the texts stay in the journal. */
function define(state: Draft, recorded: Definition | undefined): void {
  if (recorded === undefined) return;
  const { texts, ...definition } = recorded;
  state.definition = definition;
  if (texts === undefined) return;
  state.texts = { ...state.texts, ...Object.fromEntries(Object.keys(texts).map((digest) => [digest, true] as const)) };
}

/** A run goes on. If it had ended, its outcome has told what it used so far. */
function reopen({ definition, nonce, life }: Omit<ResumeRecord, "type">, state: Draft): void {
  const { ended, usage, spent, iteration } = state;
  define(state, definition);
  state.laterLife = life ?? state.laterLife;
  state.nonce = nonce ?? state.nonce;
  if (ended !== undefined) state.accounted = { usage, cost: spent.cost, iterations: iteration };
  state.ended = undefined;
}

function applyCheck(record: CheckRecord & { readonly seq: number }, state: Draft): void {
  const { check, when, passed, kind, spent, seq } = record;
  const { failures = 0, failedAt = -1 } = state.checks[check] ?? {};
  const standing = {
    receipt: receiptOf(record, state),
    failures: failures + (passed || when === "baseline" ? 0 : 1),
    failedAt: passed ? failedAt : seq,
    said: resultSignature(record.output),
  };
  state.checks = { ...state.checks, [check]: standing };
  // Advice that fails is no reason of a refusal, so the model has not read it there.
  if (when === "claim" && !passed && kind !== "advice") {
    const { told } = state;
    state.told = failing(state).filter((said) => said === standing.said || told.includes(said));
  }
  if (when === "baseline")
    state.baseline = { ...state.baseline, passed: { ...state.baseline.passed, [check]: passed } };
  if (spent !== undefined) state.spent = addSpent(state.spent, spent);
}

/** The receipt of a check. `state` is the state before its record. */
function receiptOf(record: CheckRecord & { readonly seq: number }, { checks, baseline, changedAt }: Draft): Receipt {
  const { check, when, passed, exitCode, judged = false, kind, digest, duration, changed = [], seq } = record;
  const { failures = 0, failedAt = -1 } = checks[check] ?? {};
  const passedAtBaseline = baseline.passed[check];
  return {
    check,
    when,
    passed,
    ...(exitCode !== undefined && { exitCode }),
    judged,
    ...(kind !== undefined && { kind }),
    digest,
    duration,
    failedBefore: failures,
    flaky: passed && failedAt > changedAt,
    ...(passedAtBaseline !== undefined && { passedAtBaseline }),
    changed,
    record: seq,
  };
}

function failing({ checks }: Draft): readonly string[] {
  return Object.values(checks).flatMap(({ receipt, said }) => (receipt.passed ? [] : [said]));
}

/** A failed iteration ends a repetition. An iteration that polled, or that ends the run, neither counts nor ends it. */
function stallAfter({ stall, successes, claim }: Draft, { failures, polled = false }: IterationRecord): Stall {
  if (failures.length > 0) return noStall;
  if (polled || claim !== undefined || successes.length === 0) return stall;
  return countRepetition(stall, successes);
}

function fail(state: Draft, failure: Failure): void {
  state.failures = state.failures.concat(failure);
  if (failure.kind === "check_failed") state.failedAttempts += 1;
}

/** True for a failure that leaves nothing in the prompt by itself. After a refused claim, its sibling calls decide. */
function leavesNothing(failure: Failure): boolean {
  return isMistakeOfForm(failure) || failure.kind === "claim_refused";
}

/**
 * The calls, of which the call with this id is replaced. Calls are answered in order, so it is mostly the first: a search from the start
 * and a copy of the rest are fast also for a reply with thousands of calls.
 */
function replaceCall(
  calls: State["unanswered"],
  callId: string,
  replacement: (call: State["unanswered"][number]) => State["unanswered"],
): State["unanswered"] {
  const index = calls.findIndex((call) => call.callId === callId);
  const call = calls[index];
  if (call === undefined) return calls;
  return index === 0
    ? replacement(call).concat(calls.slice(1))
    : [...calls.slice(0, index), ...replacement(call), ...calls.slice(index + 1)];
}
