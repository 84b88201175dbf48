// The things that a journal says about a delivery that comes again: its end, or that its run goes on.

import { noUsage, outcomeOf, type AnyOutcome, type JournalRecord } from "../../core/index.js";
import { beginsRun, isFinalEnd, runBoundaries, takes } from "../../core/internal.js";
import type { Work } from "./delivery.js";

/** The part of a delivery by which a journal knows it again. */
type Known = Pick<Work, "session" | "input" | "inputId" | "answers" | "by" | "before" | "inputs" | "resumeFrom">;

/** The journal's word about a delivery. */
export type DeliveryState =
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
export function deliveryState(records: readonly JournalRecord[], known: Known): DeliveryState {
  const taken = takenAt(records, known);
  if (taken < 0) return { kind: "new" };
  const end = records.findIndex((record, index) => index >= taken && isEnd(record));
  return end < 0 ? { kind: "open" } : { kind: "ended", outcome: endAt(records, end, known.session) };
}

/**
 * The index of the record that took the input. Without an input, the index of the first record which went on, or of the record that
 * began the last run. -1 if there is none.
 */
function takenAt(records: readonly JournalRecord[], known: Known): number {
  const { input, before = Infinity, inputs = [], resumeFrom } = known;
  if (input === undefined && resumeFrom !== undefined)
    return records.findIndex(({ type, seq }) => seq >= resumeFrom && runBoundaries.has(type));
  if (input === undefined)
    return records.findLastIndex(
      (record) => beginsRun(record) && (record.seq < before || inputs.some((inputId) => takes(record, { inputId }))),
    );
  return records.findIndex((record) => takes(record, known));
}

function isEnd(record: JournalRecord): boolean {
  return record.type === "outcome" && isFinalEnd(record);
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

/** True if the journal has the question or the approval that an answer with this id is for. */
export function isAsked(records: readonly JournalRecord[], id: string): boolean {
  return records.some(
    (record) =>
      (record.type === "question" && record.id === id) ||
      ((record.type === "parked" || record.type === "claim") && record.callId === id),
  );
}
