// State: what follows from the records so far. One record at a time, so that nothing is folded from the start twice.

import { addUsage, noUsage, type Usage } from "./call.js";
import type { Receipt } from "./check.js";
import { closedCircuit, countIteration, type Circuit } from "./circuit.js";
import { receiptFor } from "./receipt.js";
import { isMistakeOfForm, type Failure } from "./failure.js";
import type { ClaimRecord, IterationRecord, JournalRecord } from "./record.js";
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
  /** The accepted claim. One that awaits a reply stays until the next input, over the end of the run. */
  readonly claim: ClaimRecord | undefined;
  /** The checks run since the last reply. */
  readonly receipts: readonly Receipt[];
  /** How often each check has failed in this run, by its name. */
  readonly failedChecks: Readonly<Record<string, number>>;
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
  claim: undefined,
  receipts: [],
  failedChecks: {},
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
    case "input":
      return { ...emptyState, run: record.run };
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
        receipts: [],
      };
    }
    case "intent":
      return {
        ...state,
        stays: true,
        unanswered: state.unanswered.map((call) =>
          call.callId === record.callId ? { ...call, intended: true } : call,
        ),
      };
    case "result": {
      const { failure, callId, name, text } = record.result;
      const answered = { ...state, unanswered: state.unanswered.filter((call) => call.callId !== callId) };
      if (failure === undefined) {
        const call = state.unanswered.find((unanswered) => unanswered.callId === callId)?.signature ?? "";
        const success = { name, signature: `${call}|${resultSignature(text)}` };
        return { ...answered, successes: [...state.successes, success], stays: true };
      }
      return { ...fail(answered, failure), stays: state.stays || !leavesNothing(failure) };
    }
    case "error-context":
      return fail(state, record.failure);
    case "check": {
      const { check, passed } = record;
      const failedBefore = state.failedChecks[check] ?? 0;
      return {
        ...state,
        receipts: [...state.receipts, receiptFor(record, failedBefore)],
        failedChecks: passed ? state.failedChecks : { ...state.failedChecks, [check]: failedBefore + 1 },
      };
    }
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
      };
    case "decision":
    case "nudge":
    case "outcome":
      return state;
    default:
      record satisfies never;
      throw new Error(`there is no record of the type ${JSON.stringify((record as JournalRecord).type)}`);
  }
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
