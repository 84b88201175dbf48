// Read outcome: how a run ended, from the journal alone.

import { whyAborted } from "../time/abort.js";
import { LastcallError, type FaultCode } from "../data/fault.js";
import { endingOf } from "../loop/conclude.js";
import type { Ended, Outcome, StopReason } from "../ports/outcome.js";
import type { JournalRecord } from "../journal/record.js";
import type { Run } from "../run/run.js";
import type { State } from "../journal/state.js";
import { replay } from "../journal/step.js";

/**
 * The outcome of the run that took the record for which this holds; undefined where none did, or where it has not ended. A
 * fault has its code and its words, not its cause.
 */
export function readOutcome(run: Run, isTaken: (record: JournalRecord) => boolean): Outcome | undefined {
  const { records } = run.session;
  const taken = records.findIndex(isTaken);
  if (taken < 0) return undefined;
  const end = records.findIndex(({ type }, index) => type === "outcome" && index > taken);
  const outcome = records[end];
  return outcome?.type === "outcome" ? describe(run, records.slice(0, end), outcome) : undefined;
}

/** What every outcome has besides how the run ended. */
export function accountOf({ session, parts }: Run, { usage, iteration, spent }: State): Ended {
  return { session, usage, ...(parts.price !== undefined && { cost: spent.cost }), iterations: iteration };
}

function describe(
  run: Run,
  before: readonly JournalRecord[],
  { status, reason = "", message = "" }: Extract<JournalRecord, { readonly type: "outcome" }>,
): Outcome {
  const state = replay(before);
  const ended = accountOf(run, state);
  const partial = { text: state.text };
  switch (status) {
    case "completed":
    case "waiting":
    case "stopped":
      return { ...ended, ...endingOf(state, { reason: reason as StopReason, message }) };
    case "aborted":
      // Sessions of before do not say who it was.
      return { ...ended, status, message: message || whyAborted({ reason: "" }), partial };
    case "failed":
      return { ...ended, status, message, partial, fault: new LastcallError(reason as FaultCode, message) };
  }
}
