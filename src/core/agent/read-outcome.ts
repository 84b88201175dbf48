// Reads the outcome of an earlier run from the journal alone.

import { whyAborted } from "../time/abort.js";
import { LastcallError, type FaultCode } from "../data/fault.js";
import { readValue } from "../call/claim-value.js";
import { endingOf } from "../loop/conclude.js";
import type { StoppedConclusion } from "../ports/conclusion.js";
import type { Ended, Outcome, StopReason } from "../ports/outcome.js";
import type { JournalRecord } from "../journal/record.js";
import type { Run } from "../run/run.js";
import type { State } from "../journal/state.js";
import { replay } from "../journal/step.js";

/**
 * The outcome of the run with the first record that `isTaken` accepts; undefined without such a record, or if that run has not ended.
 * A fault has its code and message, but no cause: the journal does not store causes.
 */
export async function readOutcome(run: Run, isTaken: (record: JournalRecord) => boolean): Promise<Outcome | undefined> {
  const { records } = run.session;
  const inputIndex = records.findIndex(isTaken);
  if (inputIndex < 0) return undefined;
  const endIndex = records.findIndex(({ type }, index) => type === "outcome" && index > inputIndex);
  const end = records[endIndex];
  return end?.type === "outcome" ? describe(run, records.slice(0, endIndex), end) : undefined;
}

/** The fields that every outcome has: the session, the usage, the cost if the model has a price, and the number of iterations. */
export function accountOf({ session, parts }: Run, { usage, iteration, spent }: State): Ended {
  return { session, usage, ...(parts.price !== undefined && { cost: spent.cost }), iterations: iteration };
}

/** The ending with the value of its claim as the tool's schema reads it. So an outcome is the same when it is read from the journal. */
export async function withValue<Ending extends { readonly status: string }>(
  { parts: { tools } }: Run,
  { claim }: State,
  ending: Ending,
): Promise<Ending> {
  if (claim === undefined) return ending;
  if (ending.status === "completed" || ending.status === "waiting")
    return { ...ending, value: await readValue(tools, claim) };
  const { partial } = ending as { readonly partial?: StoppedConclusion["partial"] };
  if (partial?.claim === undefined) return ending;
  return { ...ending, partial: { ...partial, claim: { by: claim.by, value: await readValue(tools, claim) } } };
}

async function describe(
  run: Run,
  before: readonly JournalRecord[],
  { status, reason = "", message = "" }: Extract<JournalRecord, { readonly type: "outcome" }>,
): Promise<Outcome> {
  const state = replay(before);
  const ended = accountOf(run, state);
  const partial = { text: state.text };
  switch (status) {
    case "completed":
    case "waiting":
    case "stopped":
      return { ...ended, ...(await withValue(run, state, endingOf(state, { reason: reason as StopReason, message }))) };
    case "aborted":
      // Old sessions do not store the reason of an abort.
      return { ...ended, status, message: message || whyAborted({ reason: "" }), partial };
    case "failed":
      return { ...ended, status, message, partial, fault: new LastcallError(reason as FaultCode, message) };
  }
}
