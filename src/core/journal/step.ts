// Step: computes the state after one more record, so that the loop never replays the whole journal.

import { addUsage } from "../data/call.js";
import { countIteration } from "./circuit.js";
import { isMistakeOfForm, type Failure } from "../data/failure.js";
import { describeNotes } from "./notebook.js";
import { shownOf } from "./outside.js";
import type { Receipt } from "../data/receipt.js";
import type { CheckRecord, IterationRecord, JournalRecord, ResumeRecord } from "./record.js";
import { addSpent, afterReply, grown, shortened, spentOn } from "./spent.js";
import { countRepetition, noStall, resultSignature, type Stall } from "./stall.js";
import { emptyState, type State } from "./state.js";

/** The state after one more record. */
export function step(state: State, record: JournalRecord): State {
  return { ...state, ...changesBy(state, record), seq: record.seq + 1 };
}

/** The state after all the records. It is one object that is changed, since nobody sees it before the end. */
export function replay(records: readonly JournalRecord[]): State {
  const state = { ...emptyState };
  for (const record of records) Object.assign(state, changesBy(state, record), { seq: record.seq + 1 });
  return state;
}

/** The fields of the state that the record changes. */
function changesBy(state: State, record: JournalRecord): Partial<State> {
  switch (record.type) {
    case "input": {
      const { baseline } = state;
      const { text, attachments, notes = [], definition = state.definition, nonce, life } = record;
      const prompt = grown({ ...state.prompt, longestReply: 0 }, text + (describeNotes(notes) ?? ""), attachments);
      const inputs = text === "" ? [] : [text];
      return { ...emptyState, run: record.run, inputs, life, baseline, prompt, definition, nonce };
    }
    case "reply": {
      const { reply, iteration } = record;
      return {
        iteration,
        open: true,
        usage: addUsage(state.usage, reply.usage),
        text: reply.text || state.text,
        unanswered: reply.calls.map((call) => ({
          callId: call.id,
          name: call.name,
          intended: false,
          input: call.type === "call" ? call.input : call.source,
        })),
        successes: [],
        failures: [],
        stays: false,
        refused: reply.finish === "refused",
        spent: addSpent(state.spent, record.spent ?? spentOn(reply.usage, undefined)),
        prompt: afterReply(state.prompt, reply, record.characters),
        ...(state.closing && { closing: { ...state.closing, calls: reply.calls } }),
      };
    }
    case "intent":
      return {
        stays: true,
        changedAt: record.seq,
        unanswered: replaceCall(state.unanswered, record.callId, (call) => [{ ...call, intended: true }]),
      };
    case "result": {
      const { failure, callId, name, text, attachments } = record.result;
      const answered = {
        unanswered: replaceCall(state.unanswered, callId, () => []),
        prompt: grown(state.prompt, shownOf(record.result, state.nonce), attachments),
      };
      if (failure === undefined) {
        const input = state.unanswered.find((unanswered) => unanswered.callId === callId)?.input;
        const success = { name, input, text };
        return { ...answered, successes: [...state.successes, success], stays: true };
      }
      return { ...answered, ...fail(state, failure), stays: state.stays || !leavesNothing(failure) };
    }
    case "error-context":
      return { ...fail(state, record.failure), prompt: grown(state.prompt, record.failure.message) };
    case "check":
      return afterCheck(state, record);
    case "baseline":
      return { baseline: { ...state.baseline, begun: record.begun } };
    case "spend":
      return { spent: addSpent(state.spent, record.spent) };
    case "claim":
      return {
        claim: record,
        stays: true,
        unanswered: replaceCall(state.unanswered, record.callId, () => []),
      };
    case "iteration":
      return {
        open: false,
        circuit: countIteration(state.circuit, record.failures),
        stall: stallAfter(state, record),
        elapsed: record.elapsed ?? state.elapsed,
        ...(state.closing && { closing: { ...state.closing, over: true } }),
      };
    case "expiry": {
      const { message, elapsed } = record;
      const closing = state.closing && { ...state.closing, over: true };
      return { elapsed, expired: message, closing };
    }
    case "notice": {
      const noticed = { prompt: grown(state.prompt, record.text) };
      if (record.about === "baseline" || record.about === "check") return { ...noticed, told: failing(state) };
      if (record.about === "limit") return { ...noticed, warned: [...state.warned, record.reason] };
      if (record.about !== "closing") return noticed;
      const { reason, message } = record;
      return { ...noticed, closing: { reason, message, over: false, calls: [] } };
    }
    case "stub":
    case "fold":
    case "prune":
      return { prompt: shortened(state.prompt, record.tokens) };
    case "overflow":
      return { full: record.message, closing: state.closing && { ...state.closing, over: true } };
    case "steer": {
      const { circuit, stall } = emptyState;
      const { text, attachments } = record;
      return { inputs: [...state.inputs, text], circuit, stall, prompt: grown(state.prompt, text, attachments) };
    }
    case "outcome": {
      const ended = record.status;
      return { ended, baseline: ended === "completed" ? emptyState.baseline : state.baseline };
    }
    case "resume":
      return reopened(state, record);
    case "parked":
      return { unanswered: replaceCall(state.unanswered, record.callId, (call) => [{ ...call, parked: record }]) };
    case "question": {
      const ask = (call: State["unanswered"][number]): State["unanswered"] => [
        // It runs again from its start, so its intent is over.
        { ...call, intended: false, questions: [...(call.questions ?? []), { question: record }] },
      ];
      return { unanswered: replaceCall(state.unanswered, record.callId, ask) };
    }
    case "answer": {
      const { answers, value } = record;
      const answer = ({ questions = [], ...call }: State["unanswered"][number]): State["unanswered"] => [
        {
          ...call,
          questions: questions.map((one, at) => (at === questions.length - 1 ? { ...one, answer: record } : one)),
        },
      ];
      return {
        ...reopened(state, record),
        inputs: [...state.inputs, typeof value === "string" ? value : JSON.stringify(value)],
        unanswered: replaceCall(state.unanswered, answers, answer),
      };
    }
    case "approval": {
      const { answers, text } = record;
      return {
        ...reopened(state, record),
        ...(text !== undefined && { inputs: [...state.inputs, text] }),
        unanswered: replaceCall(state.unanswered, answers, (call) => [{ ...call, approval: record }]),
      };
    }
    case "decision":
      return {};
    default:
      record satisfies never;
      throw new Error(`there is no record of the type ${JSON.stringify((record as JournalRecord).type)}`);
  }
}

/** A run goes on. If it had ended, its outcome has told what it used so far. */
function reopened(
  { ended, usage, spent, iteration, accounted, ...state }: State,
  record: Pick<ResumeRecord, "definition" | "nonce">,
): Partial<State> {
  return {
    definition: record.definition ?? state.definition,
    nonce: record.nonce ?? state.nonce,
    ended: undefined,
    accounted: ended === undefined ? accounted : { usage, cost: spent.cost, iterations: iteration },
  };
}

function afterCheck(state: State, record: CheckRecord & { readonly seq: number }): Partial<State> {
  const { check, when, passed, exitCode, judged = false, digest, duration, spent, seq } = record;
  const { failures = 0, failedAt = -1 } = state.checks[check] ?? {};
  const { baseline, changedAt } = state;
  const passedAtBaseline = baseline.passed[check];
  const receipt: Receipt = {
    check,
    when,
    passed,
    ...(exitCode !== undefined && { exitCode }),
    judged,
    digest,
    duration,
    failedBefore: failures,
    flaky: passed && failedAt > changedAt,
    ...(passedAtBaseline !== undefined && { passedAtBaseline }),
    changed: record.changed ?? [],
    record: seq,
  };
  const standing = {
    receipt,
    failures: failures + (passed || when === "baseline" ? 0 : 1),
    failedAt: passed ? failedAt : seq,
    said: resultSignature(record.output),
  };
  return {
    ...(when === "claim" && !passed && { told: [standing.said] }),
    checks: { ...state.checks, [check]: standing },
    ...(when === "baseline" && { baseline: { ...baseline, passed: { ...baseline.passed, [check]: passed } } }),
    ...(spent !== undefined && { spent: addSpent(state.spent, spent) }),
  };
}

function failing({ checks }: State): readonly string[] {
  return Object.values(checks).flatMap(({ receipt, said }) => (receipt.passed ? [] : [said]));
}

/** A failed iteration ends a repetition. An iteration that polled, or that ends the run, neither counts nor ends it. */
function stallAfter({ stall, successes, claim }: State, { failures, polled = false }: IterationRecord): Stall {
  if (failures.length > 0) return noStall;
  if (polled || claim !== undefined || successes.length === 0) return stall;
  return countRepetition(stall, successes);
}

function fail(state: State, failure: Failure): Partial<State> {
  return {
    failures: [...state.failures, failure],
    failedAttempts: state.failedAttempts + (failure.kind === "check_failed" ? 1 : 0),
  };
}

/** True for a failure that leaves nothing in the prompt by itself. After a refused claim, its sibling calls decide. */
function leavesNothing(failure: Failure): boolean {
  return isMistakeOfForm(failure) || failure.kind === "claim_refused";
}

/**
 * The calls, of which the one with this id is replaced. Calls are answered in order, so it is mostly the first: a search from the start and
 * a copy of the rest are fast also for a reply with thousands of calls.
 */
function replaceCall(
  calls: State["unanswered"],
  callId: string,
  replacement: (call: State["unanswered"][number]) => State["unanswered"],
): State["unanswered"] {
  const index = calls.findIndex((call) => call.callId === callId);
  const call = calls[index];
  return call === undefined ? calls : [...calls.slice(0, index), ...replacement(call), ...calls.slice(index + 1)];
}
