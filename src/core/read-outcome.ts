// Read outcome: how a run ended, from the journal alone.

import { LastcallError, type FaultCode } from "./fault.js";
import { endingOf } from "./judge.js";
import type { Outcome, StopReason } from "./outcome.js";
import type { JournalRecord } from "./record.js";
import type { Session } from "./session.js";
import { fold } from "./step.js";

/**
 * The outcome of the run that took the record for which this holds; undefined where none did, or where it has not ended. A
 * fault has its code and its words, not its cause.
 */
export function readOutcome(session: Session, isTaken: (record: JournalRecord) => boolean): Outcome | undefined {
  const { records } = session;
  const taken = records.findIndex(isTaken);
  if (taken < 0) return undefined;
  const end = records.findIndex(({ type }, index) => type === "outcome" && index > taken);
  const outcome = records[end];
  return outcome?.type === "outcome" ? describe(session, records.slice(0, end), outcome) : undefined;
}

function describe(
  session: Session,
  before: readonly JournalRecord[],
  { status, reason = "", message = "" }: Extract<JournalRecord, { readonly type: "outcome" }>,
): Outcome {
  const state = fold(before);
  const { usage, iteration, text, spent } = state;
  const ended = { session, usage, ...(spent.cost > 0 && { cost: spent.cost }), iterations: iteration };
  const partial = { text };
  switch (status) {
    case "completed":
    case "waiting":
    case "stopped":
      return { ...ended, ...endingOf(state, { reason: reason as StopReason, message }) };
    case "aborted":
      return { ...ended, status, partial };
    case "failed":
      return { ...ended, status, partial, fault: new LastcallError(reason as FaultCode, message) };
  }
}
