// The state of a session's last run: the only place that says which records begin a run or go on with it, and whether it has an
// end.

import { isSamePrincipal, type Principal } from "../data/principal.js";
import type {
  AnswerRecord,
  ApprovalRecord,
  InputRecord,
  JournalRecord,
  OutcomeRecord,
  OutcomeStatus,
  RecordPlace,
  ResumeRecord,
} from "./record.js";

/** A record that begins a run or goes on with it. */
export type Beginning = (InputRecord | ResumeRecord | ApprovalRecord | AnswerRecord) & RecordPlace;

/** A record that ends a run, or the part of a run that one process did. */
export type End = OutcomeRecord & RecordPlace;

type PartOf<Type> = Type extends Beginning["type"]
  ? "begins"
  : Type extends End["type"]
    ? "ends"
    : Type extends "fork"
      ? "rests"
      : "within";

/** The part of a run that the records of each type are. A new type has to be stated here. */
const parts: { readonly [Type in JournalRecord["type"]]: PartOf<Type> } = {
  input: "begins",
  resume: "begins",
  approval: "begins",
  answer: "begins",
  outcome: "ends",
  fork: "rests",
  steer: "within",
  reply: "within",
  decision: "within",
  parked: "within",
  question: "within",
  child: "within",
  intent: "within",
  result: "within",
  "error-context": "within",
  baseline: "within",
  check: "within",
  spend: "within",
  claim: "within",
  "hand-over": "within",
  background: "within",
  "background-end": "within",
  iteration: "within",
  expiry: "within",
  notice: "within",
  stub: "within",
  fold: "within",
  prune: "within",
  overflow: "within",
};

/** The state of a session's last run: `open`, or the status with which it has ended. */
export type RunState = "open" | OutcomeStatus;

/** The types of the records that begin a run, go on with it, end it or let it rest. Each such record changes the run's state. */
export const runBoundaries: ReadonlySet<JournalRecord["type"]> = new Set(
  (Object.keys(parts) as JournalRecord["type"][]).filter((type) => parts[type] !== "within"),
);

/** True for a record that begins a run or goes on with it. */
export function beginsRun(record: JournalRecord): record is Beginning {
  return parts[record.type] === "begins";
}

/** An input that a record may have taken, by the parts that tell it from another. */
export interface TakenInput {
  readonly inputId?: string | undefined;
  /** The call that it answers. */
  readonly answers?: string | undefined;
  /** The principal that gives it. */
  readonly by?: Principal | undefined;
}

/**
 * True if the record took the input with this id, or the answer to this call. A yes after which more people have to say yes took the
 * answer of its own giver alone.
 */
export function takes(record: JournalRecord, { inputId, answers, by }: TakenInput): boolean {
  if (inputId !== undefined && "sent" in record && record.sent === inputId) return true;
  if (answers === undefined || !("answers" in record) || record.answers !== answers) return false;
  if (record.type !== "approval" || record.missing === undefined) return true;
  return by !== undefined && record.by !== undefined && isSamePrincipal(record.by, by);
}

/** The last record that changed the state of a run; undefined if there is no run. */
function lastBoundary(records: readonly JournalRecord[]): JournalRecord | undefined {
  return records.findLast(({ type }) => runBoundaries.has(type));
}

/** The record that ended the last run; undefined if there is no run, or if it has no end. */
export function lastEnd(records: readonly JournalRecord[]): End | undefined {
  const last = lastBoundary(records);
  return last?.type === "outcome" ? last : undefined;
}

/** True if the last run has no end: a process is at work on it, was suspended, or has died. The run of a fork rests until somebody asks. */
export function hasNoEnd(records: readonly JournalRecord[]): boolean {
  const last = lastBoundary(records);
  return last !== undefined && beginsRun(last);
}

/**
 * True for an end after which nobody goes on with the run. If the store broke off the run, somebody does: the store is there again, or
 * nobody could read this.
 */
export function isFinalEnd({ status, reason }: End): boolean {
  return status !== "failed" || reason !== "store";
}

/**
 * The state of the last run; undefined without a run. It is `open` if somebody has to go on with the run: it has no end, or the store broke
 * it off. The run of a fork goes on only if somebody asks, as an aborted run does. The records between two boundaries say nothing about it,
 * so they may be left out.
 */
export function runState(records: readonly JournalRecord[]): RunState | undefined {
  const last = lastBoundary(records);
  if (last === undefined) return undefined;
  if (last.type === "fork") return "aborted";
  return last.type === "outcome" && isFinalEnd(last) ? last.status : "open";
}

/** The types of the records that tell that a run got further. */
const progress: ReadonlySet<JournalRecord["type"]> = new Set([
  "input",
  "reply",
  "result",
  "approval",
  "answer",
  "steer",
  "check",
  "claim",
  "iteration",
  "outcome",
]);

/** The number of times that the last run was resumed without getting any further. */
export function vainResumes(records: readonly JournalRecord[]): number {
  const last = records.findLastIndex(({ type }) => progress.has(type));
  return records.slice(last + 1).filter(({ type }) => type === "resume").length;
}
