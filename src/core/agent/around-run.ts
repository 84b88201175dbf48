// Passes a run through the `run` hooks. The outcome is the run's outcome, whatever a hook does.

import type { Event, Stage } from "../ports/event.js";
import { asFault, explain, LastcallError } from "../data/fault.js";
import { inContext, type NextRun, type RunStart } from "../ports/hook.js";
import { beginsRun } from "../journal/run-state.js";
import type { AnyOutcome } from "../ports/outcome.js";
import type { Run } from "../run/run.js";
import { sourceOf, stageOf, wait } from "../time/stage.js";

type RunGenerator = ReturnType<NextRun>;
type RunStage = Stage<AnyOutcome>;

/**
 * Passes the run through the hooks. `work` is the run up to its outcome. If a hook throws or leaves before that, `fail` ends the run and
 * makes the outcome. If a hook throws afterwards, the runtime warns and the outcome stays. Without a `run` hook it returns `work`.
 */
export function aroundRun(run: Run, work: RunStage, fail: (thrown: unknown) => RunStage): RunStage {
  const hooks = run.parts.hooks.flatMap((hook) => inContext(hook.run?.bind(hook), run.context) ?? []);
  return hooks.length === 0 ? work : through(hooks, { run, work, fail });
}

type RunHook = NonNullable<ReturnType<typeof inContext<RunStart, NextRun, AsyncGenerator<Event, void, void>>>>;

/** A run that hooks surround. */
interface Surrounded {
  readonly run: Run;
  readonly work: RunStage;
  readonly fail: (thrown: unknown) => RunStage;
}

function* through(hooks: readonly RunHook[], { run, work, fail }: Surrounded): RunStage {
  let outcome: AnyOutcome | undefined;
  const source = sourceOf(work);
  const innermost = (): RunGenerator => tapped(source, (made) => (outcome = made));
  const start = startOf(run);
  const surround = (next: NextRun, hook: RunHook): NextRun => once(() => surrounded(hook, start, { next, run }));
  try {
    return yield* stageOf(hooks.reduceRight(surround, once(innermost))());
  } catch (thrown) {
    if (outcome === undefined) {
      yield* wait(source.return(undefined as never));
      return yield* fail(thrown);
    }
    const message = `A hook threw after the run had ended: ${explain(thrown)}. The outcome stays; mend the hook.`;
    run.parts.runtime.warn(new LastcallError(asFault(thrown).code, message, { cause: thrown }));
    return outcome;
  }
}

/** Runs one hook around the rest. The generator returns the outcome of the rest. */
function surrounded(
  hook: RunHook,
  start: RunStart,
  { next, run }: { readonly next: NextRun; readonly run: Run },
): RunGenerator {
  let outcome: AnyOutcome | undefined;
  const rest = (): RunGenerator => tapped(next(), (made) => (outcome = made));
  return tapped(hook(start, rest, run.signal), () => {
    if (outcome !== undefined) return outcome;
    throw wrong("returned before the run had ended: `yield* next()` lets the run go on to its end");
  });
}

/**
 * The same generator, with another return value. It is no generator function around the source: each of those costs every event of the run
 * some microseconds.
 */
function tapped<Returned>(
  source: AsyncGenerator<Event, Returned, void>,
  replace: (returned: Returned) => AnyOutcome,
): RunGenerator {
  const read = (step: IteratorResult<Event, Returned>): IteratorResult<Event, AnyOutcome> =>
    step.done === true ? { done: true, value: replace(step.value) } : step;
  const tap: RunGenerator = {
    next: () => source.next().then(read),
    // A source that is left makes no outcome.
    return: (value) => source.return(undefined as never).then(async () => ({ done: true, value: await value })),
    throw: (thrown) => source.throw(thrown).then(read),
    [Symbol.asyncIterator]: () => tap,
    [Symbol.asyncDispose]: async () => {
      await source.return(undefined as never);
    },
  };
  return tap;
}

/** A run can go on only once. */
function once(next: NextRun): NextRun {
  let isCalled = false;
  return () => {
    if (isCalled) throw wrong("called `next` twice, and a run goes on only once");
    isCalled = true;
    return next();
  };
}

function wrong(problem: string): LastcallError {
  return new LastcallError("configuration", `The \`run\` of a hook ${problem}.`);
}

function startOf({ runKey: key, session: { id, records }, parts }: Run): RunStart {
  const { name, provider } = parts.model;
  const record = records.findLast(beginsRun);
  if (record === undefined) throw new Error(`The run ${key} has no beginning.`);
  return { key, session: id, model: { name, provider }, record, secrets: parts.secrets };
}
