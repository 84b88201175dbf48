// The place where an input is kept, and the things that a journal says about one that comes again: its end, or that its run goes on.

import { noUsage, outcomeOf, type AnyOutcome, type Event, type JournalRecord } from "../../core/index.js";

/** The input that a delivery brings, by the ids under which the journal knows it. */
export interface Brought {
  /** The session. */
  readonly id: string;
  /** False if the delivery goes on with the last run, and brings no input. */
  readonly hasInput: boolean;
  readonly inputId: string | undefined;
  readonly answers: string | undefined;
  /** Without an input: the number before which the run began that is meant. */
  readonly before: number | undefined;
  /** Without an input: the session is to go on, unless it has done so at this number or later. */
  readonly resumeFrom: number | undefined;
}

/** The journal's word about a delivery. */
export type Told =
  /** It has not taken the input, or has not gone on. */
  | { readonly kind: "new" }
  /** It has taken the input, and the run that took it has no end yet. */
  | { readonly kind: "open" }
  /** The run that took the input has ended. The amounts are 0: the outcome of that run tells them. */
  | { readonly kind: "ended"; readonly outcome: AnyOutcome };

/**
 * The journal's word about a delivery. A run that failed because the store failed counts as open: the store is there again, or nobody
 * could read this.
 */
export function toldIn(records: readonly JournalRecord[], brought: Brought): Told {
  const taken = takenAt(records, brought);
  if (taken < 0) return { kind: "new" };
  const end = records.findIndex((record, index) => index >= taken && isEnd(record));
  return end < 0 ? { kind: "open" } : { kind: "ended", outcome: endAt(records, end, brought.id) };
}

/**
 * The index of the record that took the input. Without an input, that of the first one which went on, or of the one that began the last
 * run. -1 if there is none.
 */
function takenAt(
  records: readonly JournalRecord[],
  { hasInput, inputId, answers, before = Infinity, resumeFrom }: Brought,
): number {
  if (resumeFrom !== undefined)
    return records.findIndex(({ type, seq }) => seq >= resumeFrom && (begins.has(type) || type === "outcome"));
  if (!hasInput) return records.findLastIndex(({ type, seq }) => begins.has(type) && seq < before);
  return records.findIndex(
    (record) =>
      (answers !== undefined && "answers" in record && record.answers === answers) ||
      (inputId !== undefined && "sent" in record && record.sent === inputId),
  );
}

const begins: ReadonlySet<JournalRecord["type"]> = new Set(["input", "resume", "approval", "answer"]);

function isEnd(record: JournalRecord): boolean {
  return record.type === "outcome" && !(record.status === "failed" && record.reason === "store");
}

function endAt(records: readonly JournalRecord[], end: number, id: string): AnyOutcome {
  const outcome = outcomeOf({ version: 1, id, records: records.slice(0, end + 1) });
  if (outcome === undefined) throw new Error(`The record ${String(end)} of the session ${id} ends no run.`);
  return { ...outcome, ...("cost" in outcome && { cost: 0 }), usage: noUsage, iterations: 0, joined: true };
}

/** True if a reply in the journal has the call with this id, or the call that asks the question with this id. */
export function hasCall(records: readonly JournalRecord[], id: string): boolean {
  const callId = id.replace(/\/ask:\d+$/, "");
  return records.some((record) => record.type === "reply" && record.reply.calls.some((call) => call.id === callId));
}

/** True if the last run of the session has no end. That of a fork is not open before somebody asks that it goes on. */
export function isOpen(records: readonly JournalRecord[]): boolean {
  const last = records.findLast(({ type }) => type === "outcome" || type === "fork" || begins.has(type));
  return last !== undefined && begins.has(last.type);
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

/**
 * The place where the input is kept once this event happens: the journal, or the inbox while another run has the session. Undefined if the
 * event does not tell. A run records its input before any event but its start; a run that ends at once has its end in its outcome.
 */
export function placeOfInput({ type }: Event): "journal" | "inbox" | undefined {
  if (type === "lease-wait") return "inbox";
  return type === "run-start" || type === "run-end" ? undefined : "journal";
}
