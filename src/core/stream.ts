// The stream of one run: one start, one end whatever happens, and an abort when it is left.

import { isOpen } from "./circuit.js";
import { mend } from "./close.js";
import type { Event } from "./event.js";
import { asFault, LastcallError } from "./fault.js";
import type { Verdict } from "./judge.js";
import { loop } from "./loop.js";
import type { Outcome } from "./outcome.js";
import type { Run } from "./run.js";
import { emptyState, pendingCall } from "./state.js";
import type { Tool } from "./tool.js";
import type { WorkTime } from "./work-time.js";

/**
 * The events of one run. Leaving it early (a `break` in `for await`) aborts the run and waits until its tools have
 * stopped and its journal is in order.
 */
export interface AgentStream<Tools extends readonly Tool[] = readonly Tool[]> extends AsyncIterableIterator<
  Event<Tools>,
  Outcome<Tools>,
  undefined
> {
  /** Settles when the stream was read to its end or left; never rejects. A stream that nobody reads does not run. */
  readonly outcome: Promise<Outcome<Tools>>;
  return(): Promise<IteratorReturnResult<Outcome<Tools>>>;
}

/** Starts with the input, loops, and ends in an outcome; `run-end` is always the last event. */
export async function* live(run: Run, input: string): AsyncGenerator<Event, Outcome, void> {
  let ending: Ending;
  const number = run.state.run + 1;
  try {
    yield* begin(run, input, number);
    ending = yield* loop(run);
  } catch (thrown) {
    ending = broken(run, thrown);
  }
  try {
    yield* mend(run);
    // A run whose input could not be recorded never began.
    if (run.state.run === number) await end(run, ending);
  } catch (thrown) {
    ending = { status: "failed", fault: asFault(thrown), partial: { text: run.state.text } };
  }
  run.purse.dropNext();
  const { usage, iteration, spent } = run.state.run === number ? run.state : emptyState;
  const cost = run.parts.price === undefined ? {} : { cost: spent.cost };
  const outcome: Outcome = { ...ending, session: run.session, usage, ...cost, iterations: iteration };
  yield { type: "run-end", outcome };
  return outcome;
}

type Ending =
  | Verdict
  | { readonly status: "aborted"; readonly partial: { readonly text: string } }
  | { readonly status: "failed"; readonly fault: LastcallError; readonly partial: { readonly text: string } };

async function* begin(run: Run, input: string, number: number): AsyncGenerator<Event, void, void> {
  yield { type: "run-start", session: run.session.id, run: number, input };
  yield* mend(run);
  const wasOpen = isOpen(run.state.circuit, run.parts.circuit);
  const answers = pendingCall(run.state);
  await run.append({ type: "input", run: number, text: input, ...(answers !== undefined && { answers }) });
  if (wasOpen) yield { type: "circuit-close" };
}

async function end(run: Run, ending: Ending): Promise<void> {
  await run.append({ type: "outcome", status: ending.status, ...("reason" in ending && { reason: ending.reason }) });
}

function broken(run: Run, thrown: unknown): Ending {
  const partial = { text: run.state.text };
  if (run.signal.aborted && !(thrown instanceof LastcallError)) return { status: "aborted", partial };
  return { status: "failed", fault: asFault(thrown), partial };
}

/**
 * Makes the generator of a run an iterator that aborts when it is left, also while a `next` is under way, and when the
 * caller's signal says so. Only while somebody waits for its next event does the run's time go on.
 */
export function abortOnLeave(
  source: AsyncGenerator<Event, Outcome, void>,
  time: WorkTime,
  { abort, signal }: { readonly abort: AbortController; readonly signal: AbortSignal | undefined },
): AgentStream {
  const forward = (): void => {
    abort.abort(signal?.reason);
  };
  if (signal?.aborted === true) forward();
  else signal?.addEventListener("abort", forward, { once: true });
  let settle: (outcome: Outcome) => void = () => undefined;
  const outcome = new Promise<Outcome>((resolve) => {
    settle = resolve;
  });
  const next = async (): Promise<IteratorResult<Event, Outcome>> => {
    time.start();
    try {
      const result = await source.next();
      if (result.done !== true && result.value.type === "run-end") {
        signal?.removeEventListener("abort", forward);
        settle(result.value.outcome);
      }
      return result;
    } finally {
      time.stop();
    }
  };
  return {
    outcome,
    next,
    async return() {
      abort.abort(new DOMException("The stream was left.", "AbortError"));
      while ((await next()).done !== true);
      return { done: true, value: await outcome };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
