// The stream of one run: the outcome is its last event, and leaving it early aborts the run.

import { follow, streamLeft } from "../time/abort.js";
import type { Event, Stage } from "../ports/event.js";
import type { Decision, Later } from "../data/decision.js";
import type { AroundRun } from "../ports/child-session.js";
import type { AnyOutcome } from "../ports/outcome.js";
import type { Tool } from "../ports/tool.js";
import type { Redactor } from "../secret/redact.js";
import type { AgentStream } from "../run/agent-stream.js";
import { redactEvents, redactOutcome } from "../run/redaction.js";
import { advance, toEnd } from "../time/stage.js";
import type { WorkTime } from "../time/work-time.js";

/** A run that has begun, on its way to its reader. */
export interface StartedRun {
  /** The run itself. It goes on only while its reader reads. */
  readonly work: Stage<AnyOutcome>;
  readonly secrets: Redactor;
  /** The working time of the run. It counts only while the reader waits for the run. */
  readonly time: WorkTime;
  /** Aborts the run. */
  readonly abort: AbortController;
  /** The signals of the caller. */
  readonly signals: readonly (AbortSignal | undefined)[];
  /** Called when the run has ended. */
  readonly end?: () => void;
  /** Tells the run around an event. Undefined if nobody sees the events of that run, or if there is none. */
  readonly tell: AroundRun["tell"];
}

/** Makes the stream of the events of a run. The stream aborts the run when it is left, even during a pending `next`. */
export function abortOnLeave(run: StartedRun): AgentStream<readonly Tool[], Decision | Later> {
  const { time, abort } = run;
  let settle: (outcome: AnyOutcome) => void = () => undefined;
  const outcome = new Promise<AnyOutcome>((resolve) => {
    settle = resolve;
  });
  const leave = followCaller(run);
  const stage = withEnd(run, (ended) => {
    leave();
    settle(ended);
  });
  let reading = 0;
  let last: Promise<unknown> | undefined;
  const step = async (): Promise<IteratorResult<Event, AnyOutcome>> => {
    try {
      return await advance(stage);
    } finally {
      reading -= 1;
      time.stop();
    }
  };
  const next = (): Promise<IteratorResult<Event, AnyOutcome>> => {
    time.start();
    reading += 1;
    // A reader that asks for several steps at once gets them in order.
    const made = reading === 1 || last === undefined ? step() : last.then(step, step);
    last = made;
    return made;
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

/** Reads a run to its end. The watcher and the run around get each event; without both none is made ready for them. */
export async function readToEnd(run: StartedRun, watch?: (event: Event) => void): Promise<AnyOutcome> {
  const { time, work, secrets } = run;
  const leave = followCaller(run);
  const see = seeing(run, watch);
  time.start();
  try {
    if (see !== undefined) return await toEnd(withEnd(run, leave), see);
    return redactOutcome(secrets, await toEnd(work));
  } finally {
    // A run that throws leaves nothing on the signals of its caller.
    leave();
    time.stop();
  }
}

/** Shows an event to the watcher and to the run around. Their time does not count as working time of the run. Undefined without both. */
function seeing(
  { time, tell }: StartedRun,
  watch: ((event: Event) => void) | undefined,
): ((event: Event) => Promise<void> | undefined) | undefined {
  if (watch === undefined && tell === undefined) return undefined;
  return (event) => {
    time.stop();
    watch?.(event);
    if (tell !== undefined)
      return new Promise((resolve) => {
        tell(event, () => {
          time.start();
          resolve();
        });
      });
    time.start();
    return undefined;
  };
}

/** The events of the run without secrets, and its outcome without its session as the last event. Calls `ended` before that event. */
function* withEnd({ work, secrets }: StartedRun, ended: (outcome: AnyOutcome) => void): Stage<AnyOutcome> {
  const outcome = yield* redactEvents(work, secrets);
  ended(outcome);
  const { session: _session, ...told } = outcome;
  yield { type: "run-end", outcome: told };
  return outcome;
}

/** Aborts the run when a signal of its caller aborts. Call the function that it returns when the run has ended. */
function followCaller({ abort, signals, end }: StartedRun): () => void {
  const unfollow = follow(abort, ...signals);
  return () => {
    unfollow();
    end?.();
  };
}
