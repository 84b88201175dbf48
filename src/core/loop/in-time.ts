// In time: an iteration within the time that is left for it. One that takes longer is broken off, with its history in order.

import { mend } from "./close.js";
import type { Event } from "../ports/event.js";
import { LastcallError } from "../data/fault.js";
import type { Run } from "../run/run.js";

/** Does the work, an iteration or the baseline; where its time is up before it is over, that is recorded, and the judge goes by it. */
export async function* inTime(
  run: Run,
  work: (run: Run) => AsyncGenerator<Event, void, void>,
): AsyncGenerator<Event, void, void> {
  const bound = boundFor(run);
  if (bound === undefined) return yield* work(run);
  const whole = run.signal;
  const expiry = new DOMException(bound.message, "TimeoutError");
  const deadline = run.time.deadline(bound.ms, expiry);
  run.signal = AbortSignal.any([whole, deadline.signal]);
  try {
    yield* work(run);
  } catch (thrown) {
    if (whole.aborted || !deadline.signal.aborted || thrown instanceof LastcallError) throw thrown;
    yield* mend(run);
  } finally {
    run.signal = whole;
    deadline.end();
  }
  if (deadline.signal.aborted && run.state.claim === undefined) {
    await run.append({ type: "expiry", message: bound.message, elapsed: run.time.elapsed });
    yield { type: "expiry", message: bound.message };
  }
}

/** How long the next iteration may take, and what is said where it takes longer; undefined where nothing bounds it. */
function boundFor({ parts, state, time }: Run): { readonly ms: number; readonly message: string } | undefined {
  const { timeout, iterationTimeout, reserve } = parts.limits;
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
