// Work: a tool's own run, kept within its time and the run's signal.

import type { Event } from "../ports/event.js";
import { failure, type Failure } from "../data/failure.js";
import { explain } from "../data/fault.js";
import type { Execution } from "../ports/hook.js";
import { deepFreeze } from "../data/json.js";
import type { Note } from "../data/note.js";
import type { FrozenCall } from "../ports/permission.js";
import { interrupted } from "../words/refusals.js";
import type { Run } from "../run/run.js";
import type { Runtime } from "../time/runtime.js";
import type { Tool } from "../ports/tool.js";

/** How long a tool may take to stop once it was told to, in milliseconds. */
const grace = 1000;

type Settled<T> =
  | { readonly how: "made"; readonly value: T }
  | { readonly how: "threw"; readonly error: unknown }
  | { readonly how: "late" };

/** Waits for one piece of a tool's work. */
type Bounded = <T>(start: () => Promise<T>) => Promise<Settled<T>>;

type Unsettled = Exclude<Settled<never>, { readonly how: "made" }>;

/** Runs the tool and says how it went; what it throws is a failure for the model. */
export async function* runTool(run: Run, tool: Tool, call: FrozenCall): AsyncGenerator<Event, Execution, void> {
  const { id: callId, input } = call;
  const stop = new AbortController();
  const forward = (): void => {
    stop.abort(run.signal.reason);
  };
  if (run.signal.aborted) forward();
  else run.signal.addEventListener("abort", forward, { once: true });
  const timeout = timeoutOf(run, tool);
  const { permission } = run;
  const budget = run.purse.open();
  const { records } = run.memory;
  const notes: Note[] = [];
  const note = (written: Note): void => void notes.push(deepFreeze({ ...written, tags: [...written.tags] }));
  const bounded = bound(timeout, stop, run.parts.runtime);
  try {
    const begun = await bounded(async () =>
      begin(tool, input, { signal: stop.signal, callId, budget, permission, records, note }),
    );
    const isProgressing = begun.how === "made" && isGenerator(begun.value);
    const settled = isProgressing ? yield* drive(begun.value, callId, bounded, stop) : begun;
    if (settled.how !== "made")
      return { ok: false, failure: blame(run, call, { stopped: stop.signal, timeout, why: settled }) };
    const { value } = settled;
    const made = value === undefined && tool.breaks(input) ? input : value;
    return { ok: true, value: made, ...(notes.length > 0 && { notes }) };
  } finally {
    budget.close();
    run.signal.removeEventListener("abort", forward);
  }
}

/** Drives a tool that shows progress. Left at a yield, by an abort or by a hook, it is told to clean up and waited for. */
async function* drive(
  made: AsyncGenerator,
  callId: string,
  bounded: Bounded,
  stop: AbortController,
): AsyncGenerator<Event, Settled<unknown>, void> {
  let rests = false;
  try {
    for (;;) {
      const next = await bounded(async () => made.next());
      if (next.how === "late") made.return(undefined).catch(() => undefined);
      if (next.how !== "made") return next;
      if (next.value.done === true) return { how: "made", value: next.value.value };
      rests = true;
      yield { type: "call-progress", callId, progress: next.value.value };
      if (stop.signal.aborted) return { how: "threw", error: stop.signal.reason };
      rests = false;
    }
  } finally {
    if (rests) {
      stop.abort(new DOMException("Nobody waits for the tool any more.", "AbortError"));
      await bounded(async () => made.return(undefined));
    }
  }
}

async function begin(tool: Tool, input: unknown, context: Parameters<Tool["run"]>[1]): Promise<unknown> {
  return tool.run(input, context);
}

function isGenerator(made: unknown): made is AsyncGenerator {
  return typeof made === "object" && made !== null && Symbol.asyncIterator in made && "next" in made;
}

/**
 * Waits for one piece of work after another, until the time for all of them is spent. Once `stop` aborts, by the clock
 * or from outside, the piece at hand has a grace to settle and is left behind after it.
 */
function bound(timeout: number | undefined, stop: AbortController, runtime: Runtime): Bounded {
  let left = timeout;
  return async <T>(start: () => Promise<T>) => {
    let timers: AbortController | undefined;
    const began = runtime.now();
    const settled = start().then(
      (value): Settled<T> => ({ how: "made", value }),
      (error: unknown): Settled<T> => ({ how: "threw", error }),
    );
    const after = (ms: number, then: () => void): void => {
      timers ??= new AbortController();
      runtime.sleep(ms, timers.signal).then(then, () => undefined);
    };
    let expire = (): void => undefined;
    const late = new Promise<Settled<T>>((resolve) => {
      expire = () => {
        after(grace, () => {
          resolve({ how: "late" });
        });
      };
      if (stop.signal.aborted) expire();
      else stop.signal.addEventListener("abort", expire, { once: true });
    });
    if (left !== undefined) {
      after(left, () => {
        stop.abort(new DOMException("The tool's time is up.", "TimeoutError"));
      });
    }
    try {
      return await Promise.race([settled, late]);
    } finally {
      stop.signal.removeEventListener("abort", expire);
      timers?.abort();
      if (left !== undefined) left = Math.max(0, left - (runtime.now() - began));
    }
  };
}

/** The tool's own bound, or the caller's on all of them, whichever is less. */
function timeoutOf({ parts }: Run, { timeout = Infinity }: Tool): number | undefined {
  const least = Math.min(timeout, parts.limits.toolTimeout ?? Infinity);
  return least === Infinity ? undefined : least;
}

interface Stop {
  readonly stopped: AbortSignal;
  readonly timeout: number | undefined;
  readonly why: Unsettled;
}

function blame(run: Run, { name, input, effect }: FrozenCall, { stopped, timeout, why }: Stop): Failure {
  if (run.signal.aborted) return interrupted(name, effect === "none" || effect === "read" ? "harmless" : "unknown");
  if (stopped.aborted) {
    return failure("tool_timeout", {
      tool: name,
      message: `It did not finish within ${String(timeout)} ms and was stopped.${why.how === "late" ? " It may still be running." : ""}`,
      advice: "Ask for less at a time, or go another way.",
      input,
    });
  }
  return failure("tool_error", {
    tool: name,
    message: why.how === "threw" ? explain(why.error) : "",
    advice: "Read the error. Change the arguments or go another way; the same call will most likely fail again.",
    input,
  });
}
