// Hold: a run on a session that is kept: with its lease, or, where somebody else has it, through its inbox.

import { whyAborted } from "../time/abort.js";
import { textOf } from "./answer.js";
import { noUsage } from "../data/call.js";
import type { Event } from "../ports/event.js";
import { asFault, explain, LastcallError } from "../data/fault.js";
import { runUnlessAnswered, type Start } from "./run-to-end.js";
import type { Outcome } from "../ports/outcome.js";
import type { Run } from "../run/run.js";
import type { Runtime } from "../time/runtime.js";
import type { Lease, OpenSession, SentInput, Session } from "../journal/session.js";

/** How often to look whether a session is free, in milliseconds. */
const glance = 100;

/** What holding a session takes besides. */
export interface StoredRun {
  readonly signal: AbortSignal;
  readonly runtime: Runtime;
  /** Opens a run on the session as the lease has it. */
  readonly open: (session: Session, lease: Lease) => Run;
}

/** Runs with the input, or goes on without one. Where the session is busy the input is sent to it, and its run's outcome returned. */
export async function* runStored(
  session: OpenSession,
  start: Omit<Start, "sent">,
  holding: StoredRun,
): AsyncGenerator<Event, Outcome, void> {
  let last: Session = { version: 1, id: session.id, records: [] };
  try {
    const { lease, sent } = await take(session, start, holding);
    try {
      last = { ...last, records: lease.records };
      return yield* runUnlessAnswered(holding.open(last, lease), { ...start, sent: sent?.id });
    } finally {
      if (sent !== undefined)
        await orWarn(holding, "its input could not be taken off the inbox", lease.drop([sent.id]));
      await orWarn(
        holding,
        "it could not be given back, so the next run waits until the lease is over",
        lease.release(),
      );
    }
  } catch (thrown) {
    const { signal } = holding;
    const ended = { session: last, usage: noUsage, iterations: 0, partial: { text: "" } };
    if (signal.aborted && thrown === signal.reason) return { ...ended, status: "aborted", message: whyAborted(signal) };
    const fault = asFault(thrown);
    return { ...ended, status: "failed", message: fault.message, fault };
  }
}

/** What is left to be done changes nothing about how the run ended: a person is told where it fails. */
async function orWarn({ runtime }: StoredRun, what: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (thrown) {
    const message = `The run on the session is over, but ${what}: ${explain(thrown)}`;
    runtime.warn(new LastcallError("store", message, { cause: thrown }));
  }
}

/** Waits for the lease. What is waited with is sent, so that the run that is busy can take it. */
async function take(
  session: OpenSession,
  { input, answers }: Omit<Start, "sent">,
  { signal, runtime }: StoredRun,
): Promise<{ readonly lease: Lease; readonly sent?: SentInput }> {
  let sent: SentInput | undefined;
  for (;;) {
    signal.throwIfAborted();
    const lease = await session.lease();
    if (lease !== undefined) return { lease, ...(sent && { sent }) };
    if (input !== undefined) {
      sent ??= await session.send({ text: textOf(input), ...(answers !== undefined && { answers }) });
    }
    await runtime.sleep(glance, signal);
  }
}
