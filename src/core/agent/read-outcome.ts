// Reads the outcome of a run that has ended from the journal alone.

import { whyAborted } from "../time/abort.js";
import { subtractUsage } from "../data/call.js";
import { LastcallError, type FaultCode } from "../data/fault.js";
import { readInput, readValue } from "../call/claim-value.js";
import { dueOf, type State } from "../journal/state.js";
import { endingOf } from "../loop/conclude.js";
import type { StoppedConclusion } from "../ports/outcome.js";
import type { Ended, AnyOutcome, StopReason } from "../ports/outcome.js";
import type { JournalRecord } from "../journal/record.js";
import { isFinalEnd, lastEnd, type End } from "../journal/run-state.js";
import type { Run } from "../run/run.js";
import { checkSession, type Session } from "../journal/session.js";
import { replay } from "../journal/step.js";

/**
 * The outcome of the run with the first record that `isTaken` accepts; undefined without such a record, or if that run has not ended. A run
 * that the store broke off has not. A fault has its code and message, but no cause: the journal does not store causes.
 */
export async function readOutcome(
  run: Run,
  isTaken: (record: JournalRecord) => boolean,
): Promise<AnyOutcome | undefined> {
  const { records } = run.session;
  const inputIndex = records.findIndex(isTaken);
  if (inputIndex < 0) return undefined;
  const end = records.slice(inputIndex).find((record) => record.type === "outcome" && isFinalEnd(record));
  return end?.type === "outcome" ? readOutcomeAt(run, end) : undefined;
}

/** The outcome of the last run of the session; undefined if there is none, or if that run has not ended. */
export async function readLastOutcome(run: Run): Promise<AnyOutcome | undefined> {
  const end = lastEnd(run.session.records);
  return end && readOutcomeAt(run, end);
}

/**
 * The outcome of the session's last run, from its records alone; undefined if the session has no run, or if its last run has not ended.
 * The value is the JSON in the journal; `agent.resume` of a completed session reads it by the schema of its tool. A fault has its code
 * and message, but no cause: the journal does not store causes. `cost` is absent if the journal has none.
 * @throws LastcallError `configuration` if the value is no session. For a stored session, pass the value of its `toJSON()`.
 */
export function outcomeOf(session: Session): AnyOutcome | undefined {
  checkSession(session);
  const end = lastEnd(session.records);
  if (end === undefined) return undefined;
  const state = replay(session.records.slice(0, end.seq));
  return describe(end, state, accountIn(session, state, state.spent.cost > 0));
}

/** The fields that every outcome has: the session, the inputs, the usage, the cost if the model has a price, and the iterations. */
export function accountOf({ session, parts }: Run, state: State): Ended {
  return accountIn(session, state, parts.price !== undefined);
}

/** The ending with the value of its claim as the tool's schema reads it. So an outcome is the same when it is read from the journal. */
export async function withValue<Ending extends { readonly status: string }>(
  run: Run,
  state: State,
  ending: Ending,
): Promise<Ending> {
  const { tools } = state.speakers === run.state.speakers ? run.parts : run.partsOf(state.speakers);
  const { claim } = state;
  const due = dueOf(state);
  if (ending.status === "waiting" && due !== undefined)
    return due.type === "parked" ? { ...ending, input: await readInput(tools, due) } : ending;
  if (claim === undefined) return ending;
  if (ending.status === "completed" || ending.status === "waiting")
    return { ...ending, value: await readValue(tools, claim) };
  const { partial } = ending as { readonly partial?: StoppedConclusion["partial"] };
  if (partial?.claim === undefined) return ending;
  return { ...ending, partial: { ...partial, claim: { by: claim.by, value: await readValue(tools, claim) } } };
}

/** Its amounts leave out the amounts that an earlier outcome of the run has told. */
function accountIn(session: Session, state: State, isPriced: boolean): Ended {
  const { inputs, iteration, spent, accounted, speakers } = state;
  const usage = subtractUsage(state.usage, accounted.usage);
  const cost = isPriced && { cost: spent.cost - accounted.cost };
  const speaker = speakers.at(-1);
  const spoke = speaker !== undefined && { speaker };
  return { session, inputs, usage, ...cost, iterations: iteration - accounted.iterations, ...spoke };
}

async function readOutcomeAt(run: Run, end: End): Promise<AnyOutcome> {
  const state = replay(run.session.records.slice(0, end.seq));
  return withValue(run, state, describe(end, state, accountOf(run, state)));
}

/** The outcome that the record ended, with the value of its claim as JSON. */
function describe({ status, reason = "", message = "" }: End, state: State, ended: Ended): AnyOutcome {
  const partial = { text: state.text };
  switch (status) {
    case "completed":
    case "waiting":
    case "stopped":
      return { ...ended, ...endingOf(state, { reason: reason as StopReason, message }) };
    case "aborted":
      // Old sessions do not store the reason of an abort.
      return { ...ended, status, message: message || whyAborted({ reason: "" }), partial };
    case "failed":
      return { ...ended, status, message, partial, fault: new LastcallError(reason as FaultCode, message) };
  }
}
