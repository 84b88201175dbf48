// Runs on a stored session: takes its lease, or sends the input to the run that has the lease.

import { follow, whyAborted } from "../time/abort.js";
import { textOf, type RunInput } from "./answer.js";
import { noUsage } from "../data/call.js";
import { asFault, explain, LastcallError } from "../data/fault.js";
import { runUnlessAnswered } from "./run-to-end.js";
import type { AnyOutcome } from "../ports/outcome.js";
import type { Run } from "../run/run.js";
import { Suspended, throwIfSuspended, type Suspension } from "../time/suspension.js";
import type { Runtime } from "../time/runtime.js";
import type { Lease, LeaseHolder, OpenSession, SentInput, Session } from "../journal/session.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/** Milliseconds between two attempts to take the lease of a busy session. */
const leaseInterval = 100;
/** The time after which watchers are told once more that a run waits for the lease, in milliseconds. */
const longWait = 10_000;

/** The environment of a run on a stored session. */
export interface StoredRun {
  /** Aborts the wait for the lease. */
  readonly signal: AbortSignal;
  /** Suspends the run, and ends the wait for the lease; undefined if nobody can. */
  readonly suspension?: Suspension | undefined;
  readonly runtime: Runtime;
  /** Opens a run on the session with the records of the lease. The signal aborts the run. */
  readonly open: (session: Session, lease: Lease, signal: AbortSignal) => Run;
}

/**
 * Runs with the input, or continues without one. If the session is busy, sends the input to it and returns the outcome of the run that
 * took it.
 */
export function* runStored(session: OpenSession, input: RunInput, stored: StoredRun): Stage<AnyOutcome> {
  let last: Session = { version: 1, id: session.id, records: [] };
  try {
    const begunAt = stored.runtime.now();
    const { lease, sent } = yield* takeLease(session, input, stored);
    const stop = new AbortController();
    const unfollow = follow(stop, stored.signal, lease.signal);
    try {
      last = { ...last, records: lease.records };
      return yield* runUnlessAnswered(stored.open(last, lease, stop.signal), {
        ...input,
        inputId: sent?.id ?? input.inputId,
        // An input that waited for the session was given when the wait began.
        givenAt: input.givenAt ?? (sent && begunAt),
      });
    } finally {
      unfollow();
      yield* wait(giveBack(stored, lease, sent));
    }
  } catch (thrown) {
    const { signal, suspension } = stored;
    const ended = { session: last, inputs: [], usage: noUsage, iterations: 0, partial: { text: "" } };
    if (thrown instanceof Suspended) {
      suspension?.left();
      return { ...ended, status: "aborted", suspended: true, message: thrown.message };
    }
    if (signal.aborted && thrown === signal.reason) return { ...ended, status: "aborted", message: whyAborted(signal) };
    const fault = asFault(thrown);
    return { ...ended, status: "failed", message: fault.message, fault };
  }
}

/** Gives the lease back, and takes an input that waited for it off the inbox. */
async function giveBack(stored: StoredRun, lease: Lease, sent: SentInput | undefined): Promise<void> {
  if (sent !== undefined)
    await warnOnFault(stored, "its input could not be taken off the inbox", lease.drop([sent.id]));
  await warnOnFault(
    stored,
    "it could not be given back, so a run of another process waits until the lease is over",
    lease.release(),
  );
}

/** Waits for cleanup after a run. A fault only warns: it cannot change the outcome any more. */
async function warnOnFault({ runtime }: StoredRun, problem: string, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (thrown) {
    const message = `The run on the session is over, but ${problem}: ${explain(thrown)}`;
    runtime.warn(new LastcallError("store", message, { cause: thrown }));
  }
}

/**
 * Waits for the lease. While another run has it, sends the input once, so that this run can take it. Watchers are told of the wait when
 * it begins, and once more if it lasts.
 */
function* takeLease(
  session: OpenSession,
  { input, answers, inputId, by, attachments = [] }: RunInput,
  { signal, suspension, runtime }: StoredRun,
): Stage<{ readonly lease: Lease; readonly sent?: SentInput }> {
  let sent: SentInput | undefined;
  const begin = runtime.now();
  const due = [0, longWait];
  for (;;) {
    signal.throwIfAborted();
    let holder: LeaseHolder | undefined;
    const lease = yield* wait(
      session.lease((busy) => {
        holder = { host: busy.host, pid: busy.pid };
      }),
    );
    if (lease !== undefined) return { lease, ...(sent && { sent }) };
    if (input !== undefined) {
      sent ??= yield* wait(
        session.send({
          text: textOf(input),
          ...(inputId !== undefined && { id: inputId }),
          ...(answers !== undefined && { answers }),
          ...(attachments.length > 0 && { attachments }),
          ...(by !== undefined && { by }),
        }),
      );
    }
    // An input that was sent stays sent: the run that has the lease takes it.
    throwIfSuspended(suspension);
    const waited = runtime.now() - begin;
    if (waited >= (due[0] ?? Infinity)) {
      due.shift();
      yield { type: "lease-wait", session: session.id, waited, ...(holder && { holder }) };
    }
    yield* wait(runtime.sleep(leaseInterval, signal));
  }
}
