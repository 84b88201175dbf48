// Reads the outcome of a run that has ended from the journal alone.

import { whyAborted } from "../time/abort.js";
import { LastcallError, type FaultCode } from "../data/fault.js";
import { endingOf } from "../loop/conclude.js";
import type { Ended, Outcome, StopReason } from "../ports/outcome.js";
import type { JournalRecord } from "../journal/record.js";
import type { Run } from "../run/run.js";
import { checkSession, type Session } from "../journal/session.js";
import type { State } from "../journal/state.js";
import { replay } from "../journal/step.js";

/**
 * The outcome of the run with the first record that `isTaken` accepts; undefined without such a record, or if that run has not ended.
 * A fault has its code and message, but no cause: the journal does not store causes.
 */
export function readOutcome(run: Run, isTaken: (record: JournalRecord) => boolean): Outcome | undefined {
  const { records } = run.session;
  const inputIndex = records.findIndex(isTaken);
  if (inputIndex < 0) return undefined;
  const endIndex = records.findIndex(({ type }, index) => type === "outcome" && index > inputIndex);
  if (endIndex < 0) return undefined;
  return outcomeAt(run.session, endIndex, (state) => accountOf(run, state));
}

/**
 * The outcome of the session's last run, from its records alone; undefined if the session has no run, or if its last run has not ended.
 * A fault has its code and message, but no cause: the journal does not store causes. `cost` is absent if the journal has none.
 * @throws LastcallError `configuration` if the value is no session. For a stored session, pass the value of its `toJSON()`.
 */
export function outcomeOf(session: Session): Outcome | undefined {
  checkSession(session);
  return lastOutcome(session, (state) => accountIn(session, state, state.spent.cost > 0));
}

/** The outcome of the last run of the session of this run; undefined as for `outcomeOf`. The cost follows the agent's price. */
export function readLastOutcome(run: Run): Outcome | undefined {
  return lastOutcome(run.session, (state) => accountOf(run, state));
}

function lastOutcome(session: Session, account: (state: State) => Ended): Outcome | undefined {
  const lastIndex = session.records.findLastIndex(({ type }) => isBoundary.has(type));
  return session.records[lastIndex]?.type === "outcome" ? outcomeAt(session, lastIndex, account) : undefined;
}

/** The types of the records that begin, resume or end a run. */
const isBoundary: ReadonlySet<JournalRecord["type"]> = new Set(["input", "resume", "outcome"]);

/** The fields that every outcome has: the session, the inputs, the usage, the cost if the model has a price, and the iterations. */
export function accountOf({ session, parts }: Run, state: State): Ended {
  return accountIn(session, state, parts.price !== undefined);
}

function accountIn(session: Session, { inputs, usage, iteration, spent }: State, isPriced: boolean): Ended {
  return { session, inputs, usage, ...(isPriced && { cost: spent.cost }), iterations: iteration };
}

/** The outcome that the record at `index` ended. */
function outcomeAt({ records }: Session, index: number, account: (state: State) => Ended): Outcome {
  const { status, reason = "", message = "" } = records[index] as Extract<JournalRecord, { readonly type: "outcome" }>;
  const state = replay(records.slice(0, index));
  const ended = account(state);
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
