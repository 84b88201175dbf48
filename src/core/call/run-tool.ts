// Runs a tool until it returns, its timeout passes, or the signal of the run aborts.

import { checkAttachment } from "../attachment/read-attachment.js";
import type { Attachment, NewAttachment } from "../data/attachment.js";
import type { Stage } from "../ports/event.js";
import type { Decision } from "../data/decision.js";
import { failure, type Failure } from "../data/failure.js";
import { explain } from "../data/fault.js";
import type { Execution } from "../ports/hook.js";
import { deepCopy, deepFreeze, type Json } from "../data/json.js";
import type { Note } from "../journal/record.js";
import type { FrozenCall } from "../ports/permission.js";
import { askedInBackground, interrupted } from "../words/refusals.js";
import { redactThrown } from "../run/redaction.js";
import type { Run } from "../run/run.js";
import { follow, onAbort } from "../time/abort.js";
import { gracePeriod } from "../time/drive.js";
import type { Runtime } from "../time/runtime.js";
import type { AskTerms, Tool } from "../ports/tool.js";
import { backgroundOf } from "./background-of.js";
import { Questions } from "./ask-user.js";
import { ToldEvents } from "./child-event.js";
import { wait } from "../time/stage.js";

/** The end of one step: `late` if the step did not settle within the grace period. */
type Settled<T> =
  | { readonly how: "returned"; readonly value: T }
  | { readonly how: "threw"; readonly error: unknown }
  | { readonly how: "late" };

/** Starts one step of a tool's run and waits for its end. */
type WaitForStep = <T>(start: () => Promise<T>) => Promise<Settled<T>>;

type Unreturned = Exclude<Settled<never>, { readonly how: "returned" }>;

/** A call and the decision that allowed it. */
export interface AllowedCall {
  readonly call: FrozenCall;
  readonly decision: Decision;
  /** True if it goes on in the background: nobody can be asked there, and `limits.toolTimeout` does not count. Default false. */
  readonly isInBackground?: boolean;
}

/** Runs the tool. Returns its value, or a failure for the model if it throws or is stopped. */
export function* runTool(
  run: Run,
  tool: Tool,
  { call, decision, isInBackground = false }: AllowedCall,
): Stage<Execution> {
  const { id: callId, input, principal } = call;
  const stop = new AbortController();
  const unfollow = follow(stop, run.signal);
  const timeout = isInBackground ? tool.timeout : timeoutOf(run, tool);
  const context = tool.context === undefined ? undefined : run.context.bySchema.get(tool.context);
  const budget = run.purse.open({ callId, principal, turn: () => run.early.turnOf(callId) });
  const { records } = run.memory;
  const notes: Note[] = [];
  const note = (written: Note): void => void notes.push(deepFreeze({ ...written, tags: [...written.tags] }));
  let questions = "asks" in tool ? new Questions(run, tool, callId) : undefined;
  const ask = async (value: unknown, terms?: AskTerms): Promise<Json> => {
    if (isInBackground) throw new Error(askedInBackground(tool.name, value));
    questions ??= new Questions(run, tool, callId);
    const answer = await questions.answerTo(value);
    if (answer !== undefined) return answer;
    await questions.ask(value, terms);
    stop.abort(new DOMException("The call waits for the user's answer, and runs again with it.", "AbortError"));
    throw stop.signal.reason;
  };
  const attachments: (NewAttachment | Attachment)[] = [];
  const attach = (file: NewAttachment | Attachment): void => {
    if (!("digest" in file)) checkAttachment(file);
    attachments.push(file);
  };
  const waitForStep = stepsWithin(timeout, stop, run.parts.runtime);
  const told = run.isWatched ? new ToldEvents(callId) : undefined;
  const leave = (): void => {
    stop.abort(new DOMException("Nobody waits for the tool any more.", "AbortError"));
  };
  const endOf = <Ended>(step: Promise<Ended>): Stage<Ended> => told?.during(step, leave) ?? wait(step);
  try {
    const started = yield* endOf(
      waitForStep(async () =>
        startTool(tool, deepCopy(input), {
          context,
          signal: stop.signal,
          callId,
          principal,
          approved: input,
          budget,
          permission: run.permission,
          decision,
          records,
          note,
          attach,
          ask,
          state: questions?.state,
          path: [...run.path, callId],
          child: () =>
            run.child(callId, {
              signal: stop.signal,
              budget,
              principal,
              answeredBy: () => questions?.answeredBy,
              tell: told?.tell,
            }),
          background: backgroundOf(run),
        }),
      ),
    );
    const isProgressing = started.how === "returned" && isGenerator(started.value);
    const settled = isProgressing ? yield* drive(started.value, { callId, stop, leave, endOf, waitForStep }) : started;
    const asked = questions === undefined ? undefined : yield* wait(questions.recorded());
    if (asked !== undefined) {
      const { type: _type, state: _state, ...question } = asked;
      yield { type: "call-question", ...question };
      return { ok: false, failure: interrupted(tool.name, "before") };
    }
    if (settled.how !== "returned") {
      const failure = failureOf(run, call, { stopped: stop.signal, timeout, why: settled });
      return { ok: false, failure, ...errorOf(run, stop.signal, settled) };
    }
    const value = settled.value === undefined && tool.breaks(input) ? input : settled.value;
    return { ok: true, value, ...(notes.length > 0 && { notes }), ...(attachments.length > 0 && { attachments }) };
  } finally {
    told?.close();
    budget.close();
    unfollow();
  }
}

/** One call of a tool in progress. */
interface RunningCall {
  readonly callId: string;
  readonly stop: AbortController;
  /** Stops the tool, because nobody waits for it any more. */
  readonly leave: () => void;
  readonly waitForStep: WaitForStep;
  /** Waits for the end of a step, and yields what agents tell meanwhile. */
  readonly endOf: <Ended>(step: Promise<Ended>) => Stage<Ended>;
}

/** Drives a tool that yields progress. If an abort or a hook leaves it at a yield, its generator is returned and awaited. */
function* drive(
  source: AsyncGenerator,
  { callId, stop, leave, endOf, waitForStep }: RunningCall,
): Stage<Settled<unknown>> {
  let isAtYield = false;
  try {
    for (;;) {
      const next = yield* endOf(waitForStep(async () => source.next()));
      if (next.how === "late") source.return(undefined).catch(() => undefined);
      if (next.how !== "returned") return next;
      if (next.value.done === true) return { how: "returned", value: next.value.value };
      isAtYield = true;
      yield { type: "call-progress", callId, progress: next.value.value };
      if (stop.signal.aborted) return { how: "threw", error: stop.signal.reason };
      isAtYield = false;
    }
  } finally {
    if (isAtYield) {
      leave();
      yield* wait(waitForStep(async () => source.return(undefined)));
    }
  }
}

/** Async, so that a tool that throws at once rejects. */
async function startTool(tool: Tool, input: unknown, context: Parameters<Tool["run"]>[1]): Promise<unknown> {
  return tool.run(input, context);
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;
}

/**
 * Makes the function that waits for the steps of one tool, one after the other. The timeout is for all steps together, in milliseconds.
 * When `stop` aborts, by the timeout or from outside, the current step gets the grace period to settle; after that it counts as late and
 * runs on alone.
 */
function stepsWithin(timeout: number | undefined, stop: AbortController, runtime: Runtime): WaitForStep {
  let left = timeout;
  return <T>(start: () => Promise<T>) =>
    new Promise<Settled<T>>((resolve) => {
      let timers: AbortController | undefined;
      const startedAt = runtime.now();
      const after = (ms: number, then: () => void): void => {
        timers ??= new AbortController();
        runtime.sleep(ms, timers.signal).then(then, () => undefined);
      };
      const settle = (settled: Settled<T>): void => {
        leave();
        timers?.abort();
        if (left !== undefined) left = Math.max(0, left - (runtime.now() - startedAt));
        resolve(settled);
      };
      const expire = (): void => {
        after(gracePeriod, () => {
          settle({ how: "late" });
        });
      };
      let leave = (): void => undefined;
      start().then(
        (value) => {
          settle({ how: "returned", value });
        },
        (error: unknown) => {
          settle({ how: "threw", error });
        },
      );
      if (stop.signal.aborted) expire();
      else leave = onAbort(stop.signal, expire);
      if (left !== undefined) {
        after(left, () => {
          stop.abort(new DOMException("The tool's time is up.", "TimeoutError"));
        });
      }
    });
}

/** The tool's own timeout or `limits.toolTimeout`, whichever is less, in milliseconds; undefined without both. */
function timeoutOf({ parts }: Run, { timeout = Infinity }: Tool): number | undefined {
  const least = Math.min(timeout, parts.limits.toolTimeout ?? Infinity);
  return least === Infinity ? undefined : least;
}

/** The facts about a tool's run that did not return. */
interface Unfinished {
  readonly stopped: AbortSignal;
  readonly timeout: number | undefined;
  readonly why: Unreturned;
}

/** The error that the tool threw, for hooks and watchers. A tool that only passes on the reason of its signal threw no error itself. */
function errorOf({ parts }: Run, stopped: AbortSignal, why: Unreturned): { readonly error?: unknown } {
  if (why.how === "late" || (stopped.aborted && why.error === stopped.reason)) return {};
  return { error: redactThrown(parts.secrets, why.error) };
}

function failureOf(run: Run, { name, input, effect }: FrozenCall, { stopped, timeout, why }: Unfinished): Failure {
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
    advice:
      "Read the error. Make the same call again only if its cause may pass, as a timeout does; otherwise change the arguments or go another way.",
    input,
  });
}
