// The price of an evaluation before it starts: by the trials of its last run, else by a stated assumption.

import { readFile } from "node:fs/promises";
import type { Evaluation } from "../plan/evaluation.js";
import { trialsOf } from "../plan/trial-list.js";
import { readReport } from "../report/read-report.js";
import type { TrialRow } from "../trial/trial-row.js";
import { folderOfRuns, type EvaluateOptions } from "./evaluate.js";
import { lastReport } from "./run-folder.js";

/** The likely expense of an evaluation. */
export interface Estimate {
  readonly trials: number;
  /** The trials whose expense an earlier run has shown. The expense of the others is assumed. */
  readonly known: number;
  readonly tokens: number;
  /** The cost by the evaluation's prices; 0 if no model has a price. */
  readonly cost: number;
}

/** The assumption about a trial of which nothing is known: 10 requests with 4,000 tokens each, and replies of 300. */
const assumed = { inputTokens: 40_000, outputTokens: 3_000 };
const free = { inputTokens: 0, outputTokens: 0 };

/** Estimates the whole evaluation, by the last run in its folder that has ended. */
export async function estimate(
  evaluation: Evaluation,
  options: Pick<EvaluateOptions, "base" | "folder"> = {},
): Promise<Estimate> {
  const path = await lastReport(folderOfRuns(evaluation, options));
  const earlier = path === undefined ? [] : readReport(await readFile(path, "utf8"), path).rows;
  const trials = trialsOf(evaluation);
  let [known, tokens, cost] = [0, 0, 0];
  for (const { task, variant, model } of trials) {
    const alike = earlier.filter((row) => row.task === task.id && row.variant === variant && row.model === model);
    const isKnown = alike.length > 0 || model === "command";
    if (isKnown) known += 1;
    const usage = isKnown ? meanUsage(alike) : assumed;
    tokens += usage.inputTokens + usage.outputTokens;
    const price = priceOf(evaluation, model);
    cost += (usage.inputTokens * price.input + usage.outputTokens * price.output) / 1_000_000;
  }
  return { trials: trials.length, known, tokens: Math.round(tokens), cost };
}

function meanUsage(rows: readonly TrialRow[]): typeof assumed {
  if (rows.length === 0) return free;
  const total = (of: (row: TrialRow) => number): number => rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  return { inputTokens: total((row) => row.inputTokens), outputTokens: total((row) => row.outputTokens) };
}

function priceOf({ models, prices }: Evaluation, model: string): { readonly input: number; readonly output: number } {
  const name = models[model]?.name ?? "";
  return (Object.hasOwn(prices, name) ? prices[name] : undefined) ?? { input: 0, output: 0 };
}
