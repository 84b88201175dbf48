// The oracle over journals: checks that the loop can have written these records.

import type { JournalRecord, Tool } from "../../core/index.js";
import { checkOptions, type OptionKinds, explain, raiseLimit } from "../../core/internal.js";
import { demand } from "./demand.js";
import {
  answer,
  answerQuestion,
  approve,
  closeReply,
  mayStayOpen,
  openReply,
  reopenReply,
  runs,
  waitsForSomebody,
  type OpenReply,
  type Rules,
} from "./reply-records.js";

/** Facts about the agent that wrote the journal. */
export interface WellFormedOptions {
  /** Its tools. With them, intents are checked against the declared effects. Default: not checked. */
  readonly tools?: readonly Tool[];
  /** True if it has hooks around calls, which may answer a call themselves or run it twice. Default false. */
  readonly hooks?: boolean;
  /** False if the run is still going or its process died, so that the journal may end anywhere. Default true. */
  readonly ended?: boolean;
}

const wellFormedOptions = {
  tools: "list",
  hooks: "flag",
  ended: "flag",
} satisfies OptionKinds<WellFormedOptions>;

/** The state after the records so far. */
interface Reading {
  readonly rules: Rules;
  at: number;
  run: number;
  /** The life at the end of the ids of new calls; undefined if the run has not gone on after its first process. */
  life: string | undefined;
  iteration: number;
  /** True after an outcome. */
  hasEnded: boolean;
  open: OpenReply | undefined;
  /** The accepted claim that ends the run. */
  claim: OpenReply["claim"];
  /** The reason why no further reply may follow; undefined if one may. */
  over: string | undefined;
  /** True directly after an iteration without a failure and without a claim. */
  mayRepeat: boolean;
  /** True if something was changed in an iteration that was closed without its checks, and no check was run since. */
  isUnchecked: boolean;
  /** True once the baseline of the run is recorded. */
  hasBaseline: boolean;
  /** True from a hand-over until the baseline of the agent that speaks then. */
  isHandedOver: boolean;
  /** The ids of the inputs that came through the inbox. */
  readonly sent: Set<string>;
  /** True if the run has a nonce. */
  hasNonce: boolean;
  /** The reason why the run is being closed; undefined if it is not. */
  closing: string | undefined;
  /** The question of a run that waits at its limit; undefined if it does not wait there. */
  raise?: Extract<JournalRecord, { readonly type: "parked" }> | undefined;
}

/**
 * Checks that the records of a session keep the promises of the loop:
 * - The numbers have no gaps, and the times never go back.
 * - The id of every call is new, and ends with the life of the record with which its run last went on.
 * - Every call of a reply has exactly one result, or is accepted as the claim.
 * - No call runs without an allowing decision, and no effect happens without an intent.
 * - No call of a reply that was cut or refused runs.
 * - Every reply is closed by its iteration, and every ended run by exactly one outcome that fits it.
 * - The next input answers a waiting call.
 * - A call that waits for an approval does nothing before somebody has approved it in time, and waits once.
 * - A call that asks the user does nothing before somebody has answered in time.
 * - The model is told that it repeats itself only after an iteration without failures.
 * - A baseline comes before the first reply, or directly after a hand-over.
 * - A call in the background ends once, and no completion or hand-over is accepted before that.
 * - A run that is being closed ends after one more iteration.
 * - Every run with a result from outside has a nonce.
 * - The prompt is shortened only between two iterations. If it is still too long, the run ends.
 * @throws Error that says which record is wrong, and why.
 */
export function assertWellFormed(records: readonly JournalRecord[], options: WellFormedOptions = {}): void {
  checkOptions("assertWellFormed", options, wellFormedOptions);
  const { tools = [], hooks = false, ended = true } = options;
  const effects = new Map(tools.map(({ name, effect }) => [name, effect !== "none" && effect !== "read"]));
  const reading: Reading = {
    rules: { effects, hooks, ids: new Set(), background: new Map() },
    at: -Infinity,
    run: 0,
    life: undefined,
    iteration: 0,
    hasEnded: false,
    open: undefined,
    claim: undefined,
    over: undefined,
    mayRepeat: false,
    isUnchecked: false,
    hasBaseline: false,
    isHandedOver: false,
    sent: new Set(),
    hasNonce: false,
    closing: undefined,
  };
  for (const [index, record] of records.entries()) {
    try {
      demand(record.seq === index, `it has the number ${String(record.seq)}: a record is missing or out of place`);
      demand(record.at >= reading.at, "it was written before the record before it");
      reading.at = record.at;
      follow(reading, record);
    } catch (thrown) {
      throw new Error(`Record ${String(index)} (${record.type}): ${explain(thrown)}`, { cause: thrown });
    }
  }
  demand(!ended || reading.hasEnded, "The records do not end with an outcome.");
}

function follow(reading: Reading, record: JournalRecord): void {
  const { open, rules, run } = reading;
  if (record.type === "input") {
    reading.raise = undefined;
    start(reading, record);
    return;
  }
  demand(run > 0, "it comes before the first input");
  if (record.type === "fork") return;
  goOn(reading, record);
  if (record.type === "resume" || record.type === "approval" || record.type === "answer")
    reading.life = record.life ?? reading.life;
  const isOfBackground = followBackground(reading, record);
  if (isOfBackground || record.type === "background" || record.type === "background-end") return;
  const { mayRepeat } = reading;
  reading.mayRepeat = false;
  if (open === undefined && takesRaise(reading, record)) return;
  if (record.type === "reply") {
    demand(open === undefined, "the iteration before it is not closed");
    demand(reading.raise === undefined, "the run waits at its limit");
    demand(reading.over === undefined, `the run was over: ${reading.over ?? ""}`);
    demand(record.iteration === reading.iteration + 1, `iteration ${String(reading.iteration + 1)} is due`);
    reading.iteration = record.iteration;
    reading.isHandedOver = false;
    reading.open = openReply(record, reading, rules);
  } else if (record.type === "notice" && record.about !== "check") {
    notice(reading, record, mayRepeat);
  } else if (record.type === "baseline" || (record.type === "check" && record.when === "baseline")) {
    demand(isBeforeWork(reading), "the baseline comes before the first reply, or after a hand-over");
    demand(!reading.hasBaseline, "the run has its baseline already");
    reading.hasBaseline = record.type === "baseline";
  } else if (record.type === "resume") {
    if (open !== undefined) reopenReply(open);
    reading.hasNonce ||= record.nonce !== undefined;
  } else if (record.type === "approval") {
    demand(open !== undefined, "no reply is open");
    takeOnce(reading, record.sent);
    approve(open, record);
    reading.hasNonce ||= record.nonce !== undefined;
  } else if (record.type === "answer") {
    demand(open !== undefined, "no reply is open");
    takeOnce(reading, record.sent);
    answerQuestion(open, record);
    reading.hasNonce ||= record.nonce !== undefined;
  } else if (record.type === "steer") {
    demand(open === undefined, "the iteration before it is not closed");
    demand(reading.over === undefined, `the run was over: ${reading.over ?? ""}`);
    takeOnce(reading, record.sent);
  } else if (record.type === "expiry") {
    demand(open === undefined, "the iteration that was broken off is not closed");
    if (reading.closing !== undefined) reading.over = "it was closed";
  } else if (record.type === "stub" || record.type === "fold" || record.type === "prune") {
    demand(open === undefined, "the prompt is shortened between two iterations");
    demand(reading.over === undefined, `the run was over: ${reading.over ?? ""}`);
    demand(record.before <= record.seq, "it is about records that come after it");
  } else if (record.type === "overflow") {
    demand(open === undefined, "a prompt is recalled between two iterations");
    reading.over = reading.closing === undefined ? tooLong : "it was closed";
  } else if (record.type === "spend" && open === undefined) {
    demand(record.callId === undefined, "no call runs that could have spent it");
    demand(reading.over === undefined, `the run was over: ${reading.over ?? ""}`);
  } else if (record.type === "outcome") {
    end(reading, record);
  } else if (record.type === "iteration") {
    demand(open !== undefined, "no reply is open");
    closeReply(open, record);
    if (open.claim !== undefined) reading.over = "a claim was accepted";
    else if (open.lacksBlame) reading.over = "a reply without a call was left without its failure";
    if (reading.closing !== undefined) reading.over ??= "it was closed";
    reading.claim = open.claim;
    reading.isUnchecked = open.isUnchecked && !open.isChecked;
    reading.mayRepeat = open.claim === undefined && record.failures.length === 0;
    reading.open = undefined;
  } else {
    demand(open !== undefined, "no reply is open");
    if (record.type === "result")
      demand(record.result.from === undefined || reading.hasNonce, "what comes from outside has nothing to wrap it");
    answer(open, record, rules);
    if (record.type !== "hand-over") return;
    Object.assign(reading, {
      hasBaseline: false,
      isHandedOver: true,
      hasNonce: reading.hasNonce || record.nonce !== undefined,
    });
  }
}

/** Checks a record about a call in the background. Returns true if it is about nothing else. */
function followBackground({ rules: { background }, open }: Reading, record: JournalRecord): boolean {
  if (record.type === "background") {
    demand(open !== undefined && runs(open, record.callId), "its call does not run");
    demand(![...background.values()].includes(record.work), `two calls go on as ${record.work}`);
    background.set(record.callId, record.work);
    return true;
  }
  if (record.type === "background-end") {
    demand(open === undefined, "the iteration before it is not closed");
    demand(background.get(record.callId) === record.work, `no call goes on as ${record.work}`);
    background.delete(record.callId);
    return true;
  }
  const leavesWork = (record.type === "claim" && record.ending === "completed") || record.type === "hand-over";
  demand(!leavesWork || background.size === 0, "work goes on in the background");
  return (record.type === "child" && background.has(record.callId)) || (record.type === "spend" && background.size > 0);
}

/** True before the first reply of the agent that speaks. */
function isBeforeWork({ iteration, isHandedOver }: Reading): boolean {
  return iteration === 0 || isHandedOver;
}

/**
 * Checks a record after the outcome of its run. A run with an open reply goes on with an approval or an answer, or with a resume if the
 * call has it already. Otherwise the reply is closed for good before the next input.
 */
function goOn(reading: Reading, { type }: JournalRecord): void {
  if (!reading.hasEnded) return;
  const { open, raise } = reading;
  if (raise !== undefined && type === "approval") {
    reading.hasEnded = false;
    return;
  }
  demand(open !== undefined, "it comes after the outcome of its run");
  const isGivenWord = type === "approval" || type === "answer";
  if (isGivenWord || (type === "resume" && mayStayOpen(open) && !waitsForSomebody(open))) {
    reading.hasEnded = false;
    return;
  }
  demand(closing.has(type), "it comes after the outcome of its run");
}

/** The records that close a reply for good. */
const closing: ReadonlySet<JournalRecord["type"]> = new Set(["decision", "result", "iteration"]);

function takeOnce({ sent }: Reading, id: string | undefined): void {
  demand(id === undefined || !sent.has(id), "it was taken before");
  if (id !== undefined) sent.add(id);
}

/** The rule for a run that stopped with `context_full`. */
const tooLong = "it stops context_full exactly where the prompt was too long";

type NoticeRecord = Extract<JournalRecord, { readonly type: "notice" }>;

function notice(reading: Reading, record: NoticeRecord, mayRepeat: boolean): void {
  demand(record.text !== "", "it says nothing");
  const isAfterHandOver = record.about === "baseline" && reading.isHandedOver;
  demand(reading.open === undefined || isAfterHandOver, "the iteration before it is not closed");
  demand(reading.over === undefined, `the run was over: ${reading.over ?? ""}`);
  if (record.about === "stall")
    demand(mayRepeat, "that it repeats itself is said after an iteration that went well, once");
  if (record.about === "baseline") demand(reading.hasBaseline && isBeforeWork(reading), "it follows the baseline");
  if (record.about !== "closing") return;
  demand(reading.closing === undefined, "the run is being closed already");
  reading.closing = record.reason;
}

function start(reading: Reading, input: Extract<JournalRecord, { readonly type: "input" }>): void {
  const { run, answers, lapses, sent, at, givenAt = at } = input;
  takeOnce(reading, sent);
  demand(reading.open === undefined, "the iteration before it is not closed");
  demand(run === reading.run + 1, `run ${String(reading.run + 1)} is due`);
  const waits = reading.claim?.ending === "waiting" ? reading.claim.callId : undefined;
  demand((answers ?? lapses) === waits, `it answers ${answers ?? lapses ?? "no call"}, and ${waits ?? "none"} waits`);
  const inTime = givenAt < (reading.claim?.expiresAt ?? Infinity);
  demand(waits === undefined || inTime === (lapses === undefined), "an answer counts until the call's time is over");
  const anew = {
    hasEnded: false,
    isUnchecked: false,
    hasBaseline: false,
    claim: undefined,
    over: undefined,
    closing: undefined,
  };
  Object.assign(reading, { run, life: undefined, iteration: 0, hasNonce: input.nonce !== undefined, ...anew });
}

/** Reads the question of a run at its limit, or an answer to it. Returns false for any other record. */
function takesRaise(reading: Reading, record: JournalRecord): boolean {
  if (record.type === "parked" && record.name === raiseLimit) {
    demand(reading.raise === undefined && reading.closing === undefined, "the run is at its limit already");
    demand(reading.over === undefined, `the run was over: ${reading.over ?? ""}`);
    reading.raise = record;
    return true;
  }
  if (record.type !== "approval") return false;
  demand(reading.raise?.callId === record.answers, `no run waits at its limit for ${record.answers}`);
  takeOnce(reading, record.sent);
  if (record.missing === undefined) reading.raise = undefined;
  reading.hasNonce ||= record.nonce !== undefined;
  return true;
}

function end(reading: Reading, { status, reason }: Extract<JournalRecord, { readonly type: "outcome" }>): void {
  const { claim, open, over, closing } = reading;
  if (open !== undefined) {
    demand(mayStayOpen(open), "the last iteration is not closed");
    demand(status === "aborted" || status === "failed" || waitsForSomebody(open), "no call waits");
    demand(status === "waiting" || status === "aborted" || status === "failed", "a call waits");
    demand((status === "failed") === (reason !== undefined), "a run has a reason exactly where it stopped or failed");
    reading.hasEnded = true;
    return;
  }
  if (reading.raise !== undefined && status === "waiting") {
    reading.hasEnded = true;
    return;
  }
  demand((reason === "context_full") === (over === tooLong) || status === "aborted" || status === "failed", tooLong);
  const hasReason = status === "stopped" || status === "failed";
  demand(hasReason === (reason !== undefined), "a run has a reason exactly where it stopped or failed");
  if (closing !== undefined && status === "stopped") {
    demand(reason === closing, `it was closed for ${closing}`);
  } else if (claim !== undefined) {
    demand(status === claim.ending || status === "failed", `a claim of ${claim.by} was accepted as ${claim.ending}`);
  } else {
    demand(status !== "completed" && status !== "waiting" && reason !== "gave_up", "no claim was accepted");
    demand(over === undefined || over === tooLong || status === "failed" || status === "aborted", over ?? "");
  }
  reading.hasEnded = true;
}
