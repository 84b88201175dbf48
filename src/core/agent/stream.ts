// The stream of one run: its outcome is the last event, and leaving it aborts the run.

import { streamLeft } from "../time/abort.js";
import type { Event } from "../ports/event.js";
import type { Outcome } from "../ports/outcome.js";
import type { Tool } from "../ports/tool.js";
import type { WorkTime } from "../time/work-time.js";

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

/**
 * Makes the generator of a run an iterator that aborts when it is left, also while a `next` is under way, and when the
 * caller's signal says so. Only while somebody waits for its next event does the run's time go on.
 */
export function abortOnLeave(
  work: AsyncGenerator<Event, Outcome, void>,
  time: WorkTime,
  { abort, signal }: { readonly abort: AbortController; readonly signal: AbortSignal | undefined },
): AgentStream {
  const source = withEnd(work);
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
      abort.abort(new DOMException(streamLeft, "AbortError"));
      while ((await next()).done !== true);
      return { done: true, value: await outcome };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The outcome as the last event. */
async function* withEnd(work: AsyncGenerator<Event, Outcome, void>): AsyncGenerator<Event, Outcome, void> {
  const outcome = yield* work;
  yield { type: "run-end", outcome };
  return outcome;
}
