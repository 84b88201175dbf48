// State: what follows from the records so far. One record at a time, so that nothing is folded from the start twice.

import { addUsage, noUsage, type Call, type Usage } from "./call.js";
import type { Check, Receipt } from "./check.js";
import { closedCircuit, countIteration, type Circuit } from "./circuit.js";
import type { Definition } from "./definition.js";
import { isMistakeOfForm, type Failure } from "./failure.js";
import type { Json } from "./json.js";
import type { LimitReason } from "./limit.js";
import { describeNotes } from "./note.js";
import type {
  CheckRecord,
  ClaimRecord,
  ClosingReason,
  IterationRecord,
  JournalRecord,
  OutcomeStatus,
} from "./record.js";
import {
  addSpent,
  afterReply,
  emptyPrompt,
  grown,
  nothingSpent,
  shortened,
  spentOn,
  type PromptSize,
  type Spent,
} from "./spent.js";
import { callSignature, countRepetition, noStall, resultSignature, type Stall } from "./stall.js";

/** A call of the last reply that has no result yet. */
export interface Unanswered {
  readonly callId: string;
  readonly name: string;
  /** True once it was about to change something. */
  readonly intended: boolean;
  /** Its tool and arguments in short. */
  readonly signature: string;
}

/** A call of the last reply that went well. */
export interface Success {
  readonly name: string;
  /** The call and its result in short. */
  readonly signature: string;
}

/** What is known of one check in this run. */
export interface Standing {
  /** What it said last. */
  readonly receipt: Receipt;
  /** How often it failed, the baseline not counted. */
  readonly failures: number;
  /** The record of its last failure; -1 if there is none. */
  readonly failedAt: number;
  /** Its last output in short, times left out. */
  readonly said: string;
}

/** The state of things when the task began. */
export interface Baseline {
  /** Whether each check passed, by its name. */
  readonly passed: Readonly<Record<string, boolean>>;
  /** What each check wanted to be reminded of; undefined until all of it is known. */
  readonly begun: Readonly<Record<string, Json>> | undefined;
}

/** The run is about to end: the next iteration, or the last one, takes loop-breaking calls alone. */
export interface Closing {
  readonly reason: ClosingReason;
  readonly message: string;
  /** True once that iteration is over, or can't come to an end. */
  readonly over: boolean;
  /** What was called in it. */
  readonly calls: readonly Call[];
}

/** Everything the loop decides by. Plain data. */
export interface State {
  /** How many records there are. */
  readonly seq: number;
  /** The run's number in the session; 0 before the first input. */
  readonly run: number;
  /** The number of the last reply in this run; 0 before the first. */
  readonly iteration: number;
  /** True between a reply and the end of its iteration. */
  readonly open: boolean;
  /** Tokens of this run. */
  readonly usage: Usage;
  /** The last words of the model in this run outside its calls. */
  readonly text: string;
  readonly unanswered: readonly Unanswered[];
  /** What went well in the open (or last) iteration, an accepted claim left out. */
  readonly successes: readonly Success[];
  /** The failures of the open (or last) iteration. */
  readonly failures: readonly Failure[];
  /** True where something in the iteration ran or is a fact about the world, so that its messages stay. */
  readonly stays: boolean;
  readonly circuit: Circuit;
  readonly stall: Stall;
  /** Claims that failed a check in this run. */
  readonly failedAttempts: number;
  readonly refused: boolean;
  /** How the last run ended; undefined while it goes on, or where its process is gone. */
  readonly ended: OutcomeStatus | undefined;
  /** The accepted claim. One that awaits a reply stays until the next input, over the end of the run. */
  readonly claim: ClaimRecord | undefined;
  /** Each check that was run, by its name. */
  readonly checks: Readonly<Record<string, Standing>>;
  /** The state of things at the start. It stands until a run completes: an answer and another try go on with the same task. */
  readonly baseline: Baseline;
  /** The record of the last call that was about to change something; -1 if there is none. */
  readonly changedAt: number;
  /** What the agent was made of that worked on the session last; undefined where that was not recorded. */
  readonly definition: Definition | undefined;
  /** What the model was told last of checks that did not pass, in short. */
  readonly told: readonly string[];
  /** What counts for the limits: of this run, and of the agents that its tools ran. */
  readonly spent: Spent;
  readonly prompt: PromptSize;
  /** Milliseconds that the run has worked. */
  readonly elapsed: number;
  /** The limits whose soft warning was given. */
  readonly warned: readonly LimitReason[];
  /** Why the last iteration was broken off, where its time was up. */
  readonly expired: string | undefined;
  readonly closing: Closing | undefined;
  /** Why no further request can be sent, where the prompt does not fit the window. */
  readonly full: string | undefined;
}

/** Before the first record. */
export const emptyState: State = {
  seq: 0,
  run: 0,
  iteration: 0,
  open: false,
  usage: noUsage,
  text: "",
  unanswered: [],
  successes: [],
  failures: [],
  stays: false,
  circuit: closedCircuit,
  stall: noStall,
  failedAttempts: 0,
  refused: false,
  ended: undefined,
  claim: undefined,
  checks: {},
  baseline: { passed: {}, begun: undefined },
  changedAt: -1,
  definition: undefined,
  told: [],
  spent: nothingSpent,
  prompt: emptyPrompt,
  elapsed: 0,
  warned: [],
  expired: undefined,
  closing: undefined,
  full: undefined,
};

/** The id of the call that waits for the user's words, if one does. */
export function pendingCall({ claim }: State): string | undefined {
  return claim?.ending === "waiting" ? claim.callId : undefined;
}

/** True where the iteration so far is nothing but mistakes of form: see `IterationRecord.ephemeral`. */
export function isEphemeral({ failures, stays }: State): boolean {
  return failures.length > 0 && !stays;
}

/** The state after one more record. */
export function step(state: State, record: JournalRecord): State {
  return { ...follow(state, record), seq: record.seq + 1 };
}

/** The state after all of them. */
export function fold(records: readonly JournalRecord[]): State {
  return records.reduce(step, emptyState);
}

function follow(state: State, record: JournalRecord): State {
  switch (record.type) {
    case "input": {
      const { baseline } = state;
      const { text, notes = [], definition = state.definition } = record;
      const prompt = grown({ ...state.prompt, longestReply: 0 }, text + (describeNotes(notes) ?? ""));
      return { ...emptyState, run: record.run, baseline, prompt, definition };
    }
    case "reply": {
      const { reply, iteration } = record;
      return {
        ...state,
        iteration,
        open: true,
        usage: addUsage(state.usage, reply.usage),
        text: reply.text || state.text,
        unanswered: reply.calls.map((call) => ({
          callId: call.id,
          name: call.name,
          intended: false,
          signature: callSignature(call.name, call.type === "call" ? call.input : call.source),
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
        ...state,
        stays: true,
        changedAt: record.seq,
        unanswered: state.unanswered.map((call) =>
          call.callId === record.callId ? { ...call, intended: true } : call,
        ),
      };
    case "result": {
      const { failure, callId, name, text, shown = text } = record.result;
      const answered = {
        ...state,
        unanswered: state.unanswered.filter((call) => call.callId !== callId),
        prompt: grown(state.prompt, shown),
      };
      if (failure === undefined) {
        const call = state.unanswered.find((unanswered) => unanswered.callId === callId)?.signature ?? "";
        const success = { name, signature: `${call}|${resultSignature(text)}` };
        return { ...answered, successes: [...state.successes, success], stays: true };
      }
      return { ...fail(answered, failure), stays: state.stays || !leavesNothing(failure) };
    }
    case "error-context":
      return { ...fail(state, record.failure), prompt: grown(state.prompt, record.failure.message) };
    case "check":
      return afterCheck(state, record);
    case "baseline":
      return { ...state, baseline: { ...state.baseline, begun: record.begun } };
    case "spend":
      return { ...state, spent: addSpent(state.spent, record.spent) };
    case "claim":
      return {
        ...state,
        claim: record,
        stays: true,
        unanswered: state.unanswered.filter((call) => call.callId !== record.callId),
      };
    case "iteration":
      return {
        ...state,
        open: false,
        circuit: countIteration(state.circuit, record.failures),
        stall: stallAfter(state, record),
        elapsed: record.elapsed ?? state.elapsed,
        ...(state.closing && { closing: { ...state.closing, over: true } }),
      };
    case "expiry": {
      const { message, elapsed } = record;
      const closing = state.closing && { ...state.closing, over: true };
      return { ...state, elapsed, expired: message, closing };
    }
    case "notice": {
      const noticed = { ...state, prompt: grown(state.prompt, record.text) };
      if (record.about === "baseline" || record.about === "check") return { ...noticed, told: failing(state) };
      if (record.about === "limit") return { ...noticed, warned: [...state.warned, record.reason] };
      if (record.about !== "closing") return noticed;
      const { reason, message } = record;
      return { ...noticed, closing: { reason, message, over: false, calls: [] } };
    }
    case "stub":
    case "fold":
    case "prune":
      return { ...state, prompt: shortened(state.prompt, record.tokens) };
    case "overflow":
      return { ...state, full: record.message, closing: state.closing && { ...state.closing, over: true } };
    case "steer": {
      const { circuit, stall } = emptyState;
      return { ...state, circuit, stall, prompt: grown(state.prompt, record.text) };
    }
    case "outcome": {
      const ended = record.status;
      return { ...state, ended, baseline: ended === "completed" ? emptyState.baseline : state.baseline };
    }
    case "resume":
      return { ...state, definition: record.definition ?? state.definition };
    case "decision":
      return state;
    default:
      record satisfies never;
      throw new Error(`there is no record of the type ${JSON.stringify((record as JournalRecord).type)}`);
  }
}

function afterCheck(state: State, record: CheckRecord & { readonly seq: number }): State {
  const { check, when, passed, exitCode, judged = false, digest, duration, changed = [], spent, seq } = record;
  const { failures = 0, failedAt = -1 } = state.checks[check] ?? {};
  const { baseline, changedAt } = state;
  const before = baseline.passed[check];
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
    ...(before !== undefined && { passedAtBaseline: before }),
    changed,
    record: seq,
  };
  const standing = {
    receipt,
    failures: failures + (passed || when === "baseline" ? 0 : 1),
    failedAt: passed ? failedAt : seq,
    said: resultSignature(record.output),
  };
  return {
    ...state,
    ...(when === "claim" && !passed && { told: [standing.said] }),
    checks: { ...state.checks, [check]: standing },
    ...(when === "baseline" && { baseline: { ...baseline, passed: { ...baseline.passed, [check]: passed } } }),
    ...(spent !== undefined && { spent: addSpent(state.spent, spent) }),
  };
}

function failing({ checks }: State): readonly string[] {
  return Object.values(checks).flatMap(({ receipt, said }) => (receipt.passed ? [] : [said]));
}

/** What each check said last, in the order in which they were first run. */
export function receiptsOf({ checks }: State): readonly Receipt[] {
  return Object.values(checks).map(({ receipt }) => receipt);
}

/** True where what the check said last is about things as they are: nothing was about to be changed since. */
export function isFresh({ checks, changedAt }: State, { name }: Check): boolean {
  return (checks[name]?.receipt.record ?? -1) > changedAt;
}

/** True where the check has passed, and nothing was about to be changed since. */
export function stands(state: State, check: Check): boolean {
  return isFresh(state, check) && state.checks[check.name]?.receipt.passed === true;
}

/** A failed iteration ends the repetition; one that polled, or that ends the run, is none. */
function stallAfter({ stall, successes, claim }: State, { failures, polled = false }: IterationRecord): Stall {
  if (failures.length > 0) return noStall;
  if (polled || claim !== undefined || successes.length === 0) return stall;
  return countRepetition(
    stall,
    successes.map(({ signature }) => signature),
  );
}

function fail(state: State, failure: Failure): State {
  return {
    ...state,
    failures: [...state.failures, failure],
    failedAttempts: state.failedAttempts + (failure.kind === "check_failed" ? 1 : 0),
  };
}

/** A refused claim leaves nothing by itself: whether it stays is decided by its siblings. */
function leavesNothing(failure: Failure): boolean {
  return isMistakeOfForm(failure) || failure.kind === "claim_refused";
}
