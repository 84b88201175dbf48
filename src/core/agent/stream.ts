// The stream of one run: the outcome is its last event, and leaving it early aborts the run.

import { follow, streamLeft } from "../time/abort.js";
import type { Event } from "../ports/event.js";
import type { Decision, Later } from "../data/decision.js";
import type { AnyOutcome, Outcome } from "../ports/outcome.js";
import type { Tool } from "../ports/tool.js";
import { readEach, type Steps } from "../time/read-each.js";
import type { WorkTime } from "../time/work-time.js";

/**
 * The events of one run. Leaving the stream early (a `break` in `for await`) aborts the run and waits until its tools have stopped and its
 * journal is complete.
 */
export interface AgentStream<
  Tools extends readonly Tool[] = readonly Tool[],
  Answer extends Decision | Later = Decision,
> extends AsyncIterableIterator<Event<Tools, Answer>, Outcome<Tools, Answer>, undefined> {
  /** Resolves when the stream has been read to its end or left; never rejects. The run goes on only while the stream is read. */
  readonly outcome: Promise<Outcome<Tools, Answer>>;
  return(): Promise<IteratorReturnResult<Outcome<Tools, Answer>>>;
}

/**
 * Makes the stream of the steps of a run. The stream aborts the run when it is left, even during a pending `next`, and when the
 * caller's signal aborts. `end` is called when the run has ended. The working time of the run counts only while a `next` is pending.
 */
export function abortOnLeave(
  work: Steps<Event, AnyOutcome>,
  time: WorkTime,
  {
    abort,
    signals,
    end,
  }: {
    readonly abort: AbortController;
    readonly signals: readonly (AbortSignal | undefined)[];
    readonly end?: () => void;
  },
): AgentStream<readonly Tool[], Decision | Later> {
  const unfollow = follow(abort, ...signals);
  let settle: (outcome: AnyOutcome) => void = () => undefined;
  const outcome = new Promise<AnyOutcome>((resolve) => {
    settle = resolve;
  });
  const source = withEnd(work, (ended) => {
    unfollow();
    end?.();
    settle(ended);
  });
  let reading = 0;
  let last: Promise<unknown> = Promise.resolve();
  const advance = (): Promise<IteratorResult<Event, AnyOutcome>> => source.next();
  const next = (): Promise<IteratorResult<Event, AnyOutcome>> => {
    time.start();
    reading += 1;
    // A reader that asks for several steps at once gets them in order.
    const step = reading === 1 ? advance() : last.then(advance, advance);
    last = step;
    step.then(stop, stop);
    return step;
  };
  const stop = (): void => {
    reading -= 1;
    time.stop();
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

/** Has the outcome without its session as the last event. Calls `ended` before that event. */
function withEnd(work: Steps<Event, AnyOutcome>, ended: (outcome: AnyOutcome) => void): Steps<Event, AnyOutcome> {
  return readEach(work, (step) => {
    if (step.done !== true) return [step];
    ended(step.value);
    const { session: _session, ...outcome } = step.value;
    return [{ value: { type: "run-end", outcome } }, step];
  });
}
