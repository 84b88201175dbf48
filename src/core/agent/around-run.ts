// Passes a run through the `run` hooks. The outcome is that of the run, whatever a hook does.

import type { Event } from "../ports/event.js";
import { asFault, explain, LastcallError } from "../data/fault.js";
import { inContext, type NextRun, type RunStart } from "../ports/hook.js";
import type { JournalRecord } from "../journal/record.js";
import type { AnyOutcome } from "../ports/outcome.js";
import type { Run } from "../run/run.js";

type RunGenerator = ReturnType<NextRun>;

/**
 * Passes the run through the hooks. `work` is the run up to its outcome. If a hook throws or leaves before that, `fail` ends the run and
 * makes the outcome. If a hook throws afterwards, the runtime warns and the outcome stays. Without a `run` hook it returns `work`.
 */
export function aroundRun(run: Run, work: RunGenerator, fail: (thrown: unknown) => RunGenerator): RunGenerator {
  const hooks = run.parts.hooks.flatMap((hook) => inContext(hook.run?.bind(hook), run.context) ?? []);
  return hooks.length === 0 ? work : through(hooks, { run, work, fail });
}

type RunHook = NonNullable<ReturnType<typeof inContext<RunStart, NextRun, AsyncGenerator<Event, void, void>>>>;

/** A run that hooks surround. */
interface Surrounded {
  readonly run: Run;
  readonly work: RunGenerator;
  readonly fail: (thrown: unknown) => RunGenerator;
}

async function* through(hooks: readonly RunHook[], { run, work, fail }: Surrounded): RunGenerator {
  let outcome: AnyOutcome | undefined;
  async function* innermost(): RunGenerator {
    outcome = yield* work;
    return outcome;
  }
  const start = startOf(run);
  const surround = (next: NextRun, hook: RunHook): NextRun => once(() => within(hook, start, { next, run }));
  try {
    return yield* hooks.reduceRight(surround, once(innermost))();
  } catch (thrown) {
    if (outcome === undefined) {
      await work.return(undefined as never);
      return yield* fail(thrown);
    }
    const message = `A hook threw after the run had ended: ${explain(thrown)}. The outcome stays; mend the hook.`;
    run.parts.runtime.warn(new LastcallError(asFault(thrown).code, message, { cause: thrown }));
    return outcome;
  }
}

/** Runs one hook around the rest, and returns the outcome of the rest. */
async function* within(
  hook: RunHook,
  start: RunStart,
  { next, run }: { readonly next: NextRun; readonly run: Run },
): RunGenerator {
  let outcome: AnyOutcome | undefined;
  async function* rest(): RunGenerator {
    outcome = yield* next();
    return outcome;
  }
  yield* hook(start, rest, run.signal);
  if (outcome !== undefined) return outcome;
  throw wrong("returned before the run had ended: `yield* next()` lets the run go on to its end");
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
  const record = records.findLast(({ type }) => begins.has(type));
  return { key, session: id, model: { name, provider }, record: record as RunStart["record"], secrets: parts.secrets };
}

/** The types of the records that begin a run or continue it. */
const begins: ReadonlySet<JournalRecord["type"]> = new Set(["input", "resume", "approval", "answer"]);
