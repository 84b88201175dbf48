// Runs an evaluation: controls, trials side by side, and the report. It goes on where a dead process left it.

import { join, resolve } from "node:path";
import {
  LastcallError,
  sharedLimits,
  type Budget,
  type Model,
  type SharedLimits,
  type Spent,
} from "../../core/index.js";
import { addSpent, asFault, checkOptions, type OptionKinds } from "../../core/internal.js";
import { fileStore, openSession, type Store } from "../../memory/index.js";
import { limited } from "../../model/index.js";
import type { Evaluation } from "../plan/evaluation.js";
import { armsOf, planDigest, trialsOf, type PlannedTrial } from "../plan/trial-list.js";
import { packTrials } from "../page/packed-trials.js";
import { pageOf } from "../page/page.js";
import { junitOf } from "../report/junit.js";
import { reportOf, type Report } from "../report/eval-report.js";
import { clearTrial, makeTrial, reasonFor, voidRow, type MadeTrial } from "../trial/make-trial.js";
import { spentIn } from "../trial/totals.js";
import type { TrialRow } from "../trial/trial-row.js";
import type { Attempt, Workshop } from "../trial/trial-tools.js";
import { Channel } from "./channel.js";
import { control } from "./controls.js";
import { openRun, type RunFolder } from "./run-folder.js";

/** The options of `evaluate`. */
export interface EvaluateOptions {
  /** The folder that keeps the runs of this evaluation. Default: `.lastcall/evals/<name>` in `base`. */
  readonly folder?: string | undefined;
  /** The folder at which relative paths of tasks begin. Default: the working directory. */
  readonly base?: string | undefined;
  /** Suspends the trials at work when it aborts. The next run goes on with them. Default: never. */
  readonly signal?: AbortSignal | undefined;
  /** An earlier report that `report.html` compares with. Default: none. */
  readonly against?: Report | undefined;
}

const evaluateOptions = {
  folder: "text",
  base: "text",
  signal: "signal",
  against: "object",
} satisfies OptionKinds<EvaluateOptions>;

/** The progress of an evaluation. */
export type EvalEvent =
  | { readonly type: "eval-start"; readonly folder: string; readonly planned: number; readonly done: number }
  /** The control of a task has ended. `unmet`: the reason for which this machine can't try the task, so that its trials are void. */
  | { readonly type: "control"; readonly task: string; readonly unmet?: string | undefined }
  /** A shared limit was reached, so the evaluation ends before its last trial. */
  | { readonly type: "eval-limit"; readonly why: string }
  | { readonly type: "trial-start"; readonly trial: string; readonly running: number }
  | { readonly type: "trial-again"; readonly trial: string; readonly why: string }
  | {
      readonly type: "trial-end";
      readonly row: TrialRow;
      readonly done: number;
      readonly running: number;
      /** The cost of all trials so far. */
      readonly cost: number;
    };

/** The attempts at a trial that is void each time. */
const mostAttempts = 2;

/** The folder of an evaluation's runs, as an absolute path. */
export function folderOfRuns({ name = "eval" }: Evaluation, { folder, base = "." }: EvaluateOptions): string {
  return resolve(base, folder ?? join(".lastcall", "evals", name));
}

/**
 * Runs the evaluation, yields its progress and returns its report. A run that a dead process left goes on, within its trials too; the same
 * plan that has ended begins anew. If a shared limit is reached or `signal` aborts, the report is not complete, and the next call goes on.
 * @throws LastcallError `configuration` if a control fails or an option is wrong, and a fault that every trial would have, such as
 * `authentication`.
 */
export async function* evaluate(
  evaluation: Evaluation,
  options: EvaluateOptions = {},
): AsyncGenerator<EvalEvent, Report, void> {
  checkOptions("evaluate", options, evaluateOptions);
  const base = resolve(options.base ?? ".");
  const plan = planDigest(evaluation);
  const trials = trialsOf(evaluation);
  const run = await openRun(folderOfRuns(evaluation, options), plan);
  const stop = new AbortController();
  const onAbort = (): void => {
    stop.abort(options.signal?.reason);
  };
  if (options.signal?.aborted === true) onAbort();
  options.signal?.addEventListener("abort", onAbort, { once: true });
  try {
    yield { type: "eval-start", folder: run.path, planned: trials.length, done: run.rows.size };
    const work = join(run.path, "work");
    if (!run.hasControls) {
      const unmet: Record<string, string> = {};
      for (const task of evaluation.tasks) {
        const why = await control(task, { base, work, signal: stop.signal });
        if (why !== undefined) unmet[task.id] = await reasonFor(why, task, { evaluation, base });
        yield { type: "control", task: task.id, unmet: unmet[task.id] };
      }
      await run.keepControls(unmet);
    }
    const shop = await workshopFor(evaluation, { run, base, work, stop });
    yield* runTrials(shop, { run, trials, stop });
    const why: unknown = stop.signal.reason;
    if (options.signal?.aborted !== true && why instanceof LastcallError)
      yield { type: "eval-limit", why: why.message };
    return await finish(evaluation, { run, plan, planned: trials.length, earlier: options.against });
  } finally {
    options.signal?.removeEventListener("abort", onAbort);
    stop.abort(new Error("the evaluation was left"));
    await run.close();
  }
}

/** The parts of a run at work. */
interface AtWork {
  readonly run: RunFolder;
  readonly base: string;
  readonly work: string;
  readonly stop: AbortController;
}

async function workshopFor(evaluation: Evaluation, { run, base, work, stop }: AtWork): Promise<Workshop> {
  const store = fileStore(join(run.path, "sessions"));
  const shop = {
    evaluation,
    base,
    work,
    store,
    models: boundModels(evaluation),
    truths: run,
    suspend: stop.signal,
  };
  if (Object.values(evaluation.limits).every((limit) => limit === undefined)) return { ...shop, budget: undefined };
  const spent = run.isOld ? await spentBefore(store) : undefined;
  return { ...shop, budget: stoppingAt(sharedLimits({ ...evaluation.limits, spent }), stop) };
}

/** The models by name. The models of one provider share a bound on their requests at once. */
function boundModels({ models, concurrency }: Evaluation): Readonly<Record<string, Model>> {
  const providers = [...new Set(Object.values(models).map(({ provider }) => provider))];
  return Object.fromEntries(
    providers.flatMap((provider) => {
      const mine = Object.entries(models).filter(([, model]) => model.provider === provider);
      const bound = limited(
        mine.map(([, model]) => model),
        { concurrent: concurrency },
      );
      return mine.map(([name, model], index) => [name, bound[index] ?? model] as const);
    }),
  );
}

/** The amounts that earlier processes have used, so that a limit holds over kills. */
async function spentBefore(store: Store): Promise<Spent> {
  let spent: Spent = { iterations: 0, tokens: 0, cost: 0 };
  for (const { id } of await store.list()) {
    const { records } = await openSession({ store, id, onTorn: () => undefined }).toJSON();
    spent = addSpent(spent, spentIn(records));
  }
  return spent;
}

/**
 * A budget that ends the evaluation when its limit is reached. It refuses nothing itself, since a run would record that it was stopped:
 * the trials at work are suspended before their next request, and a run with a higher limit goes on with them.
 */
function stoppingAt(limits: SharedLimits, stop: AbortController): Budget {
  return {
    needsPrice: limits.needsPrice ?? false,
    async reserve(next, key, principal) {
      const answer = await limits.reserve(next, key, principal);
      if ("settle" in answer) return answer;
      stop.abort(new LastcallError("configuration", `The evaluation has reached its limit: ${answer.message}.`));
      return { release: () => undefined, settle: () => Promise.resolve() };
    },
  };
}

/** Makes the trials that have no row, several at once. */
async function* runTrials(
  shop: Workshop,
  {
    run,
    trials,
    stop,
  }: { readonly run: RunFolder; readonly trials: readonly PlannedTrial[]; readonly stop: AbortController },
): AsyncGenerator<EvalEvent, void, void> {
  const events = new Channel<EvalEvent>();
  const queue = trials.filter(({ id }) => !run.rows.has(id));
  let running = 0;
  let cost = [...run.rows.values()].reduce((sum, row) => sum + row.cost, 0);
  let fault: LastcallError | undefined;
  const one = async (planned: PlannedTrial): Promise<void> => {
    running += 1;
    events.push({ type: "trial-start", trial: planned.id, running });
    try {
      for (;;) {
        const attempt = attemptAt(run, planned);
        const unmet = run.unmet(planned.task.id);
        const made: MadeTrial =
          unmet === undefined ? await makeTrial(shop, planned, attempt) : { row: voidRow(planned, attempt, unmet) };
        // A limit or an abort may have ended the trial.
        stop.signal.throwIfAborted();
        if (made.fault !== undefined) throw made.fault;
        const { row } = made;
        if (row.result === "void" && unmet === undefined && attempt.before + 1 < mostAttempts) {
          await run.keepVoid(planned.id, row.why);
          events.push({ type: "trial-again", trial: planned.id, why: row.why });
          continue;
        }
        await run.keepTrial(row, made.journal);
        if (row.result === "yes") await clearTrial(shop, attempt);
        running -= 1;
        cost += row.cost;
        events.push({ type: "trial-end", row, done: run.rows.size, running, cost });
        return;
      }
    } catch (thrown) {
      if (stop.signal.aborted) return;
      fault = asFault(thrown);
      stop.abort(fault);
    }
  };
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !stop.signal.aborted; next = queue.shift()) await one(next);
  };
  const done = Promise.all(Array.from({ length: shop.evaluation.concurrency }, worker)).finally(() => {
    events.close();
  });
  try {
    yield* events;
  } finally {
    // A reader that leaves waits until the trials at work are suspended.
    if (queue.length > 0 || running > 0) stop.abort(stop.signal.reason ?? new Error("the evaluation was left"));
    await done;
  }
  if (fault !== undefined) throw fault;
}

/** The next attempt at a trial. A later attempt has a session and a folder of its own. */
function attemptAt(run: RunFolder, { id }: PlannedTrial): Attempt {
  const before = run.voids(id);
  return { id: before === 0 ? id : `${id}.again${String(before)}`, before };
}

/** A run at its end. */
interface EndedRun extends Pick<Report, "plan" | "planned"> {
  readonly run: RunFolder;
  readonly earlier: Report | undefined;
}

async function finish(evaluation: Evaluation, { run, plan, planned, earlier }: EndedRun): Promise<Report> {
  const tasks = evaluation.tasks.map(({ id, cluster, must = false, family, ends }) => ({
    ...{ id, cluster, must },
    ...(family !== undefined && { family }),
    isUnsolvable: !ends.includes("completed"),
  }));
  const played = { name: evaluation.name ?? "eval", plan, planned, tasks, rows: [...run.rows.values()] };
  const report = reportOf(played, armsOf(evaluation));
  await run.write("rows.jsonl", report.rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  await run.write("report.xml", junitOf(report));
  const packed = await packTrials(report.rows, (trial) => run.journalOf(trial));
  await run.write("report.html", pageOf(report, { packed, earlier }));
  // The report says that the run has ended, so it comes last.
  if (run.rows.size === planned) await run.write("report.json", `${JSON.stringify(report, null, 2)}\n`);
  return report;
}
