// lastcall eval: runs an evaluation, prints its report, and holds it against an earlier report.

import { existsSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  compareReports,
  compareVariants,
  comparisonLines,
  estimate,
  evaluate,
  gateOf,
  tableOf,
  type Evaluation,
  type Report,
} from "../../evals/index.js";
import type { Settings } from "../args/args.js";
import { wrong } from "../args/options.js";
import { surfaceOf, type Surface, type Surroundings } from "../person/surface.js";
import { visible } from "../display/visible.js";
import { baselineReport } from "./baseline-report.js";
import { loadEvaluation, type LoadedEvaluation } from "./load-eval.js";
import { progressTo } from "./progress.js";

/** The exit code of a gate that failed, and of an evaluation that stopped short. */
const failedGate = 2;

/**
 * Runs the evaluation of the file. Returns the exit code: 0, 2 if the gate failed or the evaluation is not complete, 130 if it was
 * interrupted.
 * @throws LastcallError `configuration` if the file is no evaluation, or a control fails.
 */
export async function runEvaluation(
  settings: Settings,
  around: Surroundings,
  file: string | undefined,
): Promise<number> {
  const surface = await surfaceOf(settings, around);
  const { base, evaluation: stated } = await statedBy(settings, file, { around, surface });
  const evaluation = { ...stated, ...(settings.trials !== undefined && { trials: settings.trials }) };
  const usual = settings.report ?? `${(file ?? stated.name).replace(/\/+$|\.\w+$/, "")}.report.json`;
  const baseline = settings.against === undefined ? undefined : await baselineReport(settings.against, usual);
  await tellEstimate({ evaluation, base }, surface);
  if (settings.dryRun) return 0;
  const report = await drain(evaluation, { base, around, surface, against: baseline });
  if (settings.report !== undefined) await writeFile(settings.report, `${JSON.stringify(report, null, 2)}\n`);
  const comparisons = [...compareVariants(report), ...(baseline === undefined ? [] : compareReports(report, baseline))];
  if (surface.json) surface.answer(JSON.stringify({ ...report, comparisons }, null, 2));
  else surface.answer([...tableOf(report), "", ...comparisonLines(comparisons)].join("\n").trimEnd());
  if (around.signal.aborted) return 130;
  const reasons = gateOf(report, baseline === undefined ? [] : compareReports(report, baseline));
  for (const reason of reasons) surface.say(visible(`failed: ${reason}`));
  return reasons.length === 0 ? 0 : failedGate;
}

/** Options that are about the model of a suite or of a folder. A file brings its own models. */
const ofModel = ["model", "provider", "base-url", "api-key-env", "forcing", "prices", "max-cost"] as const;

/** The evaluation of the file, the folder or the suite. @throws LastcallError `configuration` if it has none, or two. */
async function statedBy(
  settings: Settings,
  file: string | undefined,
  { around, surface }: { readonly around: Surroundings; readonly surface: Surface },
): Promise<LoadedEvaluation> {
  const { suite, given } = settings;
  if (file !== undefined && suite !== undefined)
    throw wrong("--suite stands in place of a file; leave one of them out", "eval");
  const isFolder = file !== undefined && existsSync(file) && statSync(file).isDirectory();
  if (file !== undefined && !isFolder) {
    const option = ofModel.find((name) => given.includes(name));
    if (option !== undefined)
      throw wrong(
        `--${option} goes with --suite or a folder: an evaluation in a file has its own models and limits`,
        "eval",
      );
    return loadEvaluation(file);
  }
  if (file === undefined && suite === undefined)
    throw wrong(
      "lastcall eval needs a file whose default export is an evaluation, a folder of Harbor tasks, or --suite truth",
      "eval",
    );
  const [{ truthEvaluation, harborEvaluation }, { findModels }, { withPrices }] = await Promise.all([
    import("./truth-arms.js"),
    import("../task/models.js"),
    import("../args/limits.js"),
  ]);
  const found = await findModels(settings, { env: around.env, say: surface.say, confirm: undefined });
  const { prices } = await withPrices({}, settings.prices);
  const maxCost = settings.maxCost === "none" ? undefined : settings.maxCost;
  const options = { model: found.modelNamed(undefined), limits: { prices, maxCost }, trials: settings.trials };
  const evaluation = file === undefined ? truthEvaluation(options) : await harborEvaluation(file, options);
  return { evaluation, base: process.cwd() };
}

/** The parts of an evaluation that runs at the command. */
interface Draining {
  readonly base: string;
  readonly around: Surroundings;
  readonly surface: Surface;
  readonly against: Report | undefined;
}

async function drain(evaluation: Evaluation, { base, around, surface, against }: Draining): Promise<Report> {
  const say = surface.log === "quiet" ? (): void => undefined : surface.say;
  const progress = progressTo(say);
  const running = evaluate(evaluation, { base, signal: around.signal, against });
  let page = "";
  for (;;) {
    const next = await running.next();
    if (next.done === true) {
      say(visible(`the report for a browser: ${page}`));
      return next.value;
    }
    if (next.value.type === "eval-start") page = join(next.value.folder, "report.html");
    progress.take(next.value);
  }
}

/** Says what the evaluation is likely to cost, by the last report in its folder. */
async function tellEstimate({ evaluation, base }: LoadedEvaluation, { say, log }: Surface): Promise<void> {
  if (log === "quiet") return;
  const { trials, known, tokens, cost } = await estimate(evaluation, { base });
  const by =
    known === trials
      ? "by the last run"
      : known === 0
        ? "assumed, since no run has ended here: 10 requests a trial"
        : `${String(known)} trials by the last run, others assumed`;
  const price = cost === 0 ? "no price is known" : `a cost of about ${String(Number(cost.toPrecision(2)))}`;
  say(`${String(trials)} trials, about ${String(tokens)} tokens, ${price} (${by})`);
}
