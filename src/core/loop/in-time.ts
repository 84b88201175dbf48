// In time: aborts an iteration when its time is up, and leaves the journal complete.

import { mend } from "./close.js";
import { LastcallError } from "../data/fault.js";
import { follow } from "../time/abort.js";
import { dueOf } from "../journal/state.js";
import { timeoutOf } from "../ports/limit.js";
import { Suspended } from "../time/suspension.js";
import type { Run } from "../run/run.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/**
 * Runs the work, an iteration or the baseline, on a view of the run whose signal aborts when its time is up. Work that is cut off this way
 * leaves an expiry record, which `conclude` reads.
 */
export function inTime(run: Run, work: Work): Stage {
  const bound = boundFor(run);
  return bound === undefined ? work(run) : within(run, work, bound);
}

type Work = (run: Run) => Stage;

function* within(run: Run, work: Work, bound: Bound): Stage {
  const expiry = new DOMException(bound.message, "TimeoutError");
  const deadline = run.time.deadline(bound.ms, expiry);
  const stop = new AbortController();
  const unfollow = follow(stop, run.signal, deadline.signal);
  try {
    yield* work(run.within(stop.signal));
  } catch (thrown) {
    const isOther = thrown instanceof LastcallError || thrown instanceof Suspended;
    if (run.signal.aborted || !deadline.signal.aborted || isOther) throw thrown;
    // A call that waits for an approval or an answer keeps its iteration open.
    if (dueOf(run.state) === undefined) yield* mend(run);
  } finally {
    unfollow();
    deadline.end();
  }
  if (deadline.signal.aborted && run.state.claim === undefined && dueOf(run.state) === undefined) {
    yield* wait(run.append({ type: "expiry", message: bound.message, elapsed: run.time.elapsed }));
    yield { type: "expiry", message: bound.message };
  }
}

/** The milliseconds that work may take, with the message if it takes longer. */
interface Bound {
  readonly ms: number;
  readonly message: string;
}

/** The bound of the next iteration; undefined without a limit. */
function boundFor({ parts, state, time }: Run): Bound | undefined {
  const { iterationTimeout, reserve } = parts.limits;
  const timeout = timeoutOf(state, parts.limits);
  const bounds = [];
  if (timeout !== undefined) {
    const share = state.closing === undefined ? 1 - reserve : 1;
    const message = `the time is up: ${String(timeout)} ms for the run`;
    bounds.push({ ms: Math.max(0, timeout * share - time.elapsed), message });
  }
  if (iterationTimeout !== undefined) {
    const message = `the time is up: ${String(iterationTimeout)} ms for one iteration`;
    bounds.push({ ms: iterationTimeout, message });
  }
  return bounds.sort((a, b) => a.ms - b.ms)[0];
}
