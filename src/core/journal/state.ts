// State: everything that the loop decides by, computed from the records so far.

import { noUsage, type Call, type Usage } from "../data/call.js";
import type { OpenableWall } from "../data/decision.js";
import type { Receipt } from "../data/receipt.js";
import { closedCircuit, type Circuit } from "./circuit.js";
import type { Definition } from "../data/definition.js";
import type { Failure } from "../data/failure.js";
import type { Json } from "../data/json.js";
import type { Principal } from "../data/principal.js";
import type {
  AnswerRecord,
  ApprovalRecord,
  ClaimRecord,
  ClosingReason,
  OutcomeStatus,
  ParkedRecord,
  QuestionRecord,
} from "./record.js";
import { emptyPrompt, nothingSpent, raiseLimit, type PromptSize, type Spent, type LimitReason } from "./spent.js";
import { noStall, type Stall, type Success } from "./stall.js";

/** A question that a running call asked the user. */
export interface AskedQuestion {
  readonly question: QuestionRecord;
  /** Absent while it waits. */
  readonly answer?: AnswerRecord;
}

/** A call of the last reply that has no result yet. */
export interface Unanswered {
  readonly callId: string;
  readonly name: string;
  /** True if its intent is recorded: it may have changed something. */
  readonly intended: boolean;
  /** Its arguments, or its raw text if they could not be read. */
  readonly input: unknown;
  /** Present if it waits for an approval, or waited for one. */
  readonly parked?: ParkedRecord;
  /** The answer that decides about the parked call. Absent while it waits. */
  readonly approval?: ApprovalRecord;
  /** The yeses of people so far, if the parked call needs more than one. Absent before the first. */
  readonly yeses?: readonly ApprovalRecord[];
  /** The questions that it asked, in order. Absent if it asked none. */
  readonly questions?: readonly AskedQuestion[];
  /** The walls that a decision about it opened. Absent if none did. */
  readonly opened?: readonly OpenableWall[];
  /** The person or program whose words it follows from. Absent if nobody said who it is. */
  readonly principal?: Principal;
  /** True if its agent has begun, in its own session. Absent otherwise. */
  readonly hasChild?: true;
}

/** A call that goes on in the background. */
export interface BackgroundCall {
  readonly callId: string;
  /** The model's name for the work. */
  readonly work: string;
  readonly name: string;
  readonly input: unknown;
  /** The person or program whose words it follows from. Absent if nobody said who it is. */
  readonly principal?: Principal;
  /** True if its agent has begun, in its own session. Absent otherwise. */
  readonly hasChild?: true;
}

/** The amounts of a run that its earlier outcomes have told. */
export interface Accounted {
  readonly usage: Usage;
  readonly cost: number;
  readonly iterations: number;
}

/** The current status of one check in this run. */
export interface Standing {
  /** Its last receipt. */
  readonly receipt: Receipt;
  /** The number of its failures. The baseline does not count. */
  readonly failures: number;
  /** The sequence number of its last failure; -1 if there is none. */
  readonly failedAt: number;
  /** The signature of its last output, without times. */
  readonly said: string;
}

/** The results of the checks when the task began. */
export interface Baseline {
  /** For each check by name: true if it passed. */
  readonly passed: Readonly<Record<string, boolean>>;
  /** For each check by name: the value that its `begin` returned. Undefined until all values are known. */
  readonly begun: Readonly<Record<string, Json>> | undefined;
}

/** The run is being closed: its closing iteration accepts only loop-breaking calls. */
export interface Closing {
  readonly reason: ClosingReason;
  readonly message: string;
  /** True if the closing iteration has ended, or can't end. */
  readonly over: boolean;
  /** The calls of the closing iteration. */
  readonly calls: readonly Call[];
}

/** Everything that the loop decides by, as plain data. */
export interface State {
  /** The number of records. */
  readonly seq: number;
  /** The run's number in the session, from 1; 0 before the first input. */
  readonly run: number;
  /** The random part of the keys of this run's effects; undefined in older journals. */
  readonly life: string | undefined;
  /** The random part at the end of the keys of new effects; undefined as long as the run has not gone on after its first process. */
  readonly laterLife: string | undefined;
  /** The words that this run answers: its input, and the messages that the user sent during it. */
  readonly inputs: readonly string[];
  /** The person or program of the last of these words; undefined if nobody said who it is. The next calls follow from them. */
  readonly principal: Principal | undefined;
  /** The number of the last reply in this run, from 1; 0 before the first reply. */
  readonly iteration: number;
  /** True between a reply and the end of its iteration. */
  readonly open: boolean;
  /** The tokens of the model's replies in this run. */
  readonly usage: Usage;
  /** The last text of the model in this run, outside its calls. */
  readonly text: string;
  /** The calls of the last reply that have no result yet. */
  readonly unanswered: readonly Unanswered[];
  /** The calls of the current or last iteration that succeeded, without an accepted claim. */
  readonly successes: readonly Success[];
  /** The failures of the current or last iteration. */
  readonly failures: readonly Failure[];
  /** True if a call of the iteration ran, or a failure in it is a fact about the world. Its messages then stay in the prompt. */
  readonly stays: boolean;
  readonly circuit: Circuit;
  readonly stall: Stall;
  /** The number of claims in this run that failed a check. */
  readonly failedAttempts: number;
  /** True if the provider or the model refused the last reply. */
  readonly refused: boolean;
  /** The status with which the last run ended; undefined while it runs, or if its process died. */
  readonly ended: OutcomeStatus | undefined;
  /** The amounts in the earlier outcomes of this run, which ended to wait for an approval and went on. */
  readonly accounted: Accounted;
  /** The accepted claim. A claim that waits for a reply stays after the end of the run, until the next input. */
  readonly claim: ClaimRecord | undefined;
  /** The checks that ran, by name. */
  readonly checks: Readonly<Record<string, Standing>>;
  /** The baseline of the task. It stays until a run completes, because an answer or another try continues the same task. */
  readonly baseline: Baseline;
  /** The sequence number of the last intent to change something; -1 if there is none. */
  readonly changedAt: number;
  /** The definition of the agent that last used the session; undefined if it was not recorded. */
  readonly definition: Definition | undefined;
  /** The digests of the texts that the journal has: system prompts, and descriptions of tools. */
  readonly texts: Readonly<Record<string, true>>;
  /** The nonce that wraps results from outside; undefined if no tool brings any. */
  readonly nonce: string | undefined;
  /** The output signatures of the failing checks that the model was last told about. */
  readonly told: readonly string[];
  /** The amounts that count for the limits: the amounts of this run and of the agents that its tools ran. */
  readonly spent: Spent;
  readonly prompt: PromptSize;
  /** The work time of the run so far, in milliseconds. */
  readonly elapsed: number;
  /** The limits that the model was warned about. */
  readonly warned: readonly LimitReason[];
  /** The amounts that people added to the limits of this run. */
  readonly raised: Readonly<Partial<Record<LimitReason, number>>>;
  /** The reason of a person who did not let the run go on at a limit; undefined if nobody refused. */
  readonly noMore: string | undefined;
  /** The reason why the last iteration was broken off, if its time was up. */
  readonly expired: string | undefined;
  /** The closing of the run, if it has begun. */
  readonly closing: Closing | undefined;
  /** The reason why no further request can be sent, if the prompt does not fit the window. */
  readonly full: string | undefined;
  /** The names that lead to the agent that speaks, by hand-overs. Empty for the agent that the run began with. */
  readonly speakers: readonly string[];
  /** The number of hand-overs in this run. */
  readonly handOvers: number;
  /**
   * The calls that go on in the background, oldest first. The next run goes on with the calls that are left, or tells that they are gone.
   */
  readonly background: readonly BackgroundCall[];
  /** The number of calls of the session that went on in the background. */
  readonly backgrounds: number;
}

/** The state before the first record. */
export const emptyState: State = {
  seq: 0,
  run: 0,
  life: undefined,
  laterLife: undefined,
  inputs: [],
  principal: undefined,
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
  accounted: { usage: noUsage, cost: 0, iterations: 0 },
  claim: undefined,
  checks: {},
  baseline: { passed: {}, begun: undefined },
  changedAt: -1,
  definition: undefined,
  texts: {},
  nonce: undefined,
  told: [],
  spent: nothingSpent,
  prompt: emptyPrompt,
  elapsed: 0,
  warned: [],
  raised: {},
  noMore: undefined,
  expired: undefined,
  closing: undefined,
  full: undefined,
  speakers: [],
  handOvers: 0,
  background: [],
  backgrounds: 0,
};

/**
 * The key of a new effect of a run: `<run key>/<effect>`, for example `<session>/<life>/<run>/call:3:0`. Once the run has gone on after its
 * first process, a later life follows: `<session>/<life>/<run>/call:3:0:<life>`.
 */
export function effectKey(run: string, effect: string, { laterLife }: Pick<State, "laterLife">): string {
  return `${run}/${effect}${laterLife === undefined ? "" : `:${laterLife}`}`;
}

/** The id that the next input answers: of the first waiting call, or of the question that it asked; undefined if no call waits. */
export function pendingCall(state: State): string | undefined {
  const { claim } = state;
  if (claim?.ending === "waiting") return claim.callId;
  const due = dueOf(state);
  return due === undefined ? undefined : answeredAs(due);
}

/**
 * The question or the approval that the first waiting call waits for, or the question or approval with this id; undefined if nothing waits
 * for it.
 */
export function dueOf({ unanswered }: State, id?: string): ParkedRecord | QuestionRecord | undefined {
  for (const call of unanswered) {
    const due = openQuestion(call) ?? (isParked(call) ? call.parked : undefined);
    if (due !== undefined && (id === undefined || answeredAs(due) === id)) return due;
  }
  return undefined;
}

/** The yeses to the parked call so far, if it needs more than one. */
export function yesesTo({ unanswered }: State, { callId }: Pick<ParkedRecord, "callId">): readonly ApprovalRecord[] {
  return unanswered.find((call) => call.callId === callId)?.yeses ?? [];
}

/** True if the run itself waits, at a limit: no call of a reply does. */
export function isLimitQuestion({ open }: Pick<State, "open">, { name }: { readonly name: string }): boolean {
  return name === raiseLimit && !open;
}

/** True if the caller's client carries out the calls of the tool. */
export function isOfClient({ definition }: State, tool: string): boolean {
  return definition?.clientTools?.some(({ name }) => name === tool) === true;
}

/** The id that an answer names. A call may ask several questions, so each has its own. */
function answeredAs(due: ParkedRecord | QuestionRecord): string {
  return due.type === "question" ? due.id : due.callId;
}

/** The first call that waits for an approval, if no call before it waits for an answer; undefined otherwise. */
export function parkedCall(state: State): ParkedRecord | undefined {
  const due = dueOf(state);
  return due?.type === "parked" ? due : undefined;
}

/** True if the call waits for an approval or an answer. */
export function isWaiting(call: Unanswered): boolean {
  return isParked(call) || openQuestion(call) !== undefined;
}

function openQuestion({ questions }: Unanswered): QuestionRecord | undefined {
  const last = questions?.at(-1);
  return last?.answer === undefined ? last?.question : undefined;
}

/** True if the call waits for an approval that nobody has given yet. */
export function isParked({ parked, approval }: Unanswered): boolean {
  return parked !== undefined && approval === undefined;
}

/**
 * True if a call of the open reply waits for an approval or an answer, or has it and has not begun to run. Its iteration stays open
 * meanwhile.
 */
export function isHeld({ open, unanswered }: State): boolean {
  return open && unanswered.some(({ parked, questions, intended }) => !intended && (parked ?? questions) !== undefined);
}

/** True if the iteration so far has only mistakes of form. See `IterationRecord.ephemeral`. */
export function isEphemeral({ failures, stays }: State): boolean {
  return failures.length > 0 && !stays;
}

/** The last receipt of each check, in the order in which the checks first ran. */
export function receiptsOf({ checks }: State): readonly Receipt[] {
  return Object.values(checks).map(({ receipt }) => receipt);
}

/** True if the check has run since the last intent to change something. */
export function isFresh({ checks, changedAt }: State, { name }: { readonly name: string }): boolean {
  return (checks[name]?.receipt.record ?? -1) > changedAt;
}

/** True if the check has passed since the last intent to change something. */
export function stands(state: State, check: { readonly name: string }): boolean {
  return isFresh(state, check) && state.checks[check.name]?.receipt.passed === true;
}
