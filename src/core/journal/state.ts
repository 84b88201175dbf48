// State: what follows from the records so far; everything the loop decides by.

import { noUsage, type Call, type Usage } from "../data/call.js";
import type { Receipt } from "../data/receipt.js";
import { closedCircuit, type Circuit } from "./circuit.js";
import type { Definition } from "../data/definition.js";
import type { Failure } from "../data/failure.js";
import type { Json } from "../data/json.js";
import type { LimitReason } from "../data/limit-reached.js";
import type { ClaimRecord, ClosingReason, OutcomeStatus } from "./record.js";
import { emptyPrompt, nothingSpent, type PromptSize, type Spent } from "./spent.js";
import { noStall, type Stall } from "./stall.js";

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
  /** What wraps the results from outside; undefined where nothing does. */
  readonly nonce: string | undefined;
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
  nonce: undefined,
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

/** What each check said last, in the order in which they were first run. */
export function receiptsOf({ checks }: State): readonly Receipt[] {
  return Object.values(checks).map(({ receipt }) => receipt);
}

/** True where what the check said last is about things as they are: nothing was about to be changed since. */
export function isFresh({ checks, changedAt }: State, { name }: { readonly name: string }): boolean {
  return (checks[name]?.receipt.record ?? -1) > changedAt;
}

/** True where the check has passed, and nothing was about to be changed since. */
export function stands(state: State, check: { readonly name: string }): boolean {
  return isFresh(state, check) && state.checks[check.name]?.receipt.passed === true;
}
