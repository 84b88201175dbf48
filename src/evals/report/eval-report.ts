// The report of an evaluation: the rows of its trials, and the figures of each variant with each model.

import { passAt, passHat } from "../figures/pass-at.js";
import { mean, rateOf, type Counted, type Rate } from "../figures/wilson.js";
import type { Arm } from "../plan/trial-list.js";
import type { TrialRow } from "../trial/trial-row.js";
import type { ReportedTask } from "./reported-task.js";
import { truthfulnessOf, type Truthfulness } from "./truthfulness.js";

/** The trials of one task in one arm. */
export interface TaskCount extends Counted {
  readonly task: string;
  readonly void: number;
}

/** The median and the 95th percentile. */
export interface Spread {
  readonly median: number;
  readonly p95: number;
}

/** The figures of a variant with a model. */
export interface ArmReport extends Arm {
  readonly pass: Rate;
  readonly void: number;
  readonly tasks: readonly TaskCount[];
  /** The mean over tasks of the chance that at least one of k trials passes, for each k up to the fewest trials of a task. */
  readonly passAt: readonly number[];
  /** The same for the chance that all of k trials pass. */
  readonly passHat: readonly number[];
  readonly cost: Spread & { readonly total: number };
  readonly tokens: Spread & { readonly total: number };
  readonly iterations: Spread;
  readonly duration: Spread;
  /** The number of trials by ending. */
  readonly endings: Readonly<Record<string, number>>;
  readonly truthfulness: Truthfulness;
}

/** A report, as `report.json` keeps it. */
export interface Report {
  readonly version: 1;
  readonly name: string;
  /** The digest of the plan. */
  readonly plan: string;
  /** The trials that were planned. Fewer rows mean that the evaluation is not complete. */
  readonly planned: number;
  readonly tasks: readonly ReportedTask[];
  readonly arms: readonly ArmReport[];
  readonly rows: readonly TrialRow[];
}

/** The plan of an evaluation, and the rows so far. */
type Played = Pick<Report, "name" | "plan" | "planned" | "tasks" | "rows">;

/** Makes the report. Its rows are in the order of their ids, so that it does not depend on the order in which trials ended. */
export function reportOf({ name, plan, planned, tasks, rows }: Played, arms: readonly Arm[]): Report {
  const sorted = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    version: 1,
    name,
    plan,
    planned,
    tasks,
    arms: arms.map((arm) => armReport(arm, tasks, sorted)),
    rows: sorted,
  };
}

function armReport({ variant, model }: Arm, tasks: readonly ReportedTask[], all: readonly TrialRow[]): ArmReport {
  const rows = all.filter((row) => row.variant === variant && row.model === model);
  const counts = tasks.map(({ id }): TaskCount => {
    const mine = rows.filter(({ task }) => task === id);
    const passed = mine.filter(({ result }) => result === "yes").length;
    const voids = mine.filter(({ result }) => result === "void").length;
    return { task: id, trials: mine.length - voids, passed, void: voids };
  });
  const counted = counts.filter(({ trials }) => trials > 0);
  const most = counted.length === 0 ? 0 : Math.min(...counted.map(({ trials }) => trials));
  const estimates = (estimate: typeof passAt): readonly number[] =>
    Array.from({ length: most }, (_none, index) =>
      mean(counted.map(({ trials, passed }) => estimate(trials, passed, index + 1) ?? 0)),
    );
  return {
    variant,
    model,
    pass: rateOf(byCluster(counted, tasks)),
    void: counts.reduce((sum, count) => sum + count.void, 0),
    tasks: counts,
    passAt: estimates(passAt),
    passHat: estimates(passHat),
    cost: withTotal(rows.map(({ cost }) => cost)),
    tokens: withTotal(rows.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)),
    iterations: spreadOf(rows.map(({ iterations }) => iterations)),
    duration: spreadOf(rows.map(({ duration }) => duration)),
    endings: tally(rows.map(({ ending }) => ending)),
    truthfulness: truthfulnessOf(rows, tasks),
  };
}

function byCluster(counts: readonly TaskCount[], tasks: readonly ReportedTask[]): readonly Counted[] {
  const clusters = new Map<string, Counted>();
  for (const { task, trials, passed } of counts) {
    const cluster = tasks.find(({ id }) => id === task)?.cluster ?? task;
    const known = clusters.get(cluster) ?? { trials: 0, passed: 0 };
    clusters.set(cluster, { trials: known.trials + trials, passed: known.passed + passed });
  }
  return [...clusters.values()];
}

function withTotal(numbers: readonly number[]): Spread & { readonly total: number } {
  return { ...spreadOf(numbers), total: numbers.reduce((sum, number) => sum + number, 0) };
}

function spreadOf(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}

function tally(words: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const word of [...words].sort()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries(counts);
}
