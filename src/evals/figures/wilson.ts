// Intervals of rates: Wilson's, on the number of trials that are worth as much as independent trials.

/** The 97.5 % quantile of the normal distribution. */
const z = 1.959963984540054;

/** The ends of an interval, from 0 to 1. */
export type Interval = readonly [low: number, high: number];

/** The trials of one cluster, most often of one task. */
export interface Counted {
  readonly trials: number;
  readonly passed: number;
}

/** A rate over clusters. */
export interface Rate {
  readonly trials: number;
  readonly passed: number;
  /** The share that passed; 0 without trials. */
  readonly rate: number;
  /** Wilson's 95 % interval on the effective number of trials. It has a width above 0 and never leaves 0 to 1. */
  readonly interval: Interval;
  /** The number of independent trials that would be worth as much. The trials of a task are alike, so it is most often smaller. */
  readonly effective: number;
}

/** Wilson's 95 % interval of `passed` of `trials`; both may be fractions. From 0 to 1 without trials. */
export function wilson(passed: number, trials: number): Interval {
  if (trials <= 0) return [0, 1];
  const rate = passed / trials;
  const scale = 1 + (z * z) / trials;
  const centre = rate + (z * z) / (2 * trials);
  const half = z * Math.sqrt((rate * (1 - rate)) / trials + (z * z) / (4 * trials * trials));
  return [Math.max(0, (centre - half) / scale), Math.min(1, (centre + half) / scale)];
}

/**
 * The rate over clusters whose trials are alike. The design effect compares the variance between the clusters with the variance of
 * independent trials. If every trial ended alike, nothing tells them apart, and each cluster counts as one trial.
 */
export function rateOf(counted: readonly Counted[]): Rate {
  const clusters = counted.filter(({ trials }) => trials > 0);
  const trials = sum(clusters.map((cluster) => cluster.trials));
  const passed = sum(clusters.map((cluster) => cluster.passed));
  const rate = trials === 0 ? 0 : passed / trials;
  const effective = trials / designEffect(clusters, { trials, rate });
  return { trials, passed, rate, interval: wilson(rate * effective, effective), effective };
}

function designEffect(
  clusters: readonly Counted[],
  { trials, rate }: { readonly trials: number; readonly rate: number },
): number {
  const count = clusters.length;
  if (count < 2) return 1;
  const independent = (rate * (1 - rate)) / trials;
  if (independent === 0) return trials / count;
  const squares = sum(clusters.map((cluster) => (cluster.passed - cluster.trials * rate) ** 2));
  return Math.max(1, (squares * count) / (count - 1) / trials ** 2 / independent);
}

/** The sum of numbers. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The mean of numbers; 0 without numbers. */
export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : sum(numbers) / numbers.length;
}
