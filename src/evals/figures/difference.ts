// The difference of two rates over the same tasks, with its interval and the smallest drop that it could have shown.

import { signFlip } from "./sign-flip.js";
import { studentQuantile } from "./student.js";
import { mean, sum, type Counted, type Interval } from "./wilson.js";

/** The trials of one task before and now. */
export interface Pair {
  readonly before: Counted;
  readonly now: Counted;
}

/** The difference over tasks. Rates are from 0 to 1. */
export interface Difference {
  readonly tasks: number;
  /** The mean over tasks of the rate now less the rate before. */
  readonly difference: number;
  /** The 95 % interval by Student's distribution. Undefined with fewer than two tasks. */
  readonly interval: Interval | undefined;
  /** The two-sided chance of the sign-flip test. */
  readonly chance: number;
  /** The chance of a drop as large or larger, if nothing changed. */
  readonly chanceOfDrop: number;
  /** The number of tasks whose rate changed. */
  readonly changed: number;
  /**
   * The smallest true drop that these trials would show in 80 % of evals, at a chance of 5 % of a false alarm. Undefined if no drop could
   * show: with fewer than five tasks, no result is rare enough.
   */
  readonly visible: number | undefined;
}

/** With fewer tasks, even a drop of every task has a chance of more than 5 %. */
const fewestTasks = 5;

/** The one-sided 95 % quantile and the 80 % quantile of the normal distribution, added. */
const powerFactor = 1.6448536269514722 + 0.8416212335729143;

/** The difference of the tasks that have trials on both sides. */
export function differenceOf(pairs: readonly Pair[], seed = 1): Difference {
  const usable = pairs.filter(({ before, now }) => before.trials > 0 && now.trials > 0);
  const differences = usable.map(({ before, now }) => rate(now) - rate(before));
  const tasks = differences.length;
  const difference = mean(differences);
  const error = Math.sqrt(Math.max(spread(differences) ** 2, noise(usable)) / Math.max(1, tasks));
  const half = tasks < 2 ? undefined : studentQuantile(tasks - 1) * error;
  const { twoSided, worse, changed } = signFlip(differences, seed);
  return {
    tasks,
    difference,
    interval: half === undefined ? undefined : [Math.max(-1, difference - half), Math.min(1, difference + half)],
    chance: twoSided,
    chanceOfDrop: worse,
    changed,
    visible: tasks < fewestTasks ? undefined : Math.min(1, powerFactor * error),
  };
}

function rate({ passed, trials }: Counted): number {
  return passed / trials;
}

/** The standard deviation of a sample. */
function spread(numbers: readonly number[]): number {
  if (numbers.length < 2) return 0;
  const centre = mean(numbers);
  return Math.sqrt(sum(numbers.map((number) => (number - centre) ** 2)) / (numbers.length - 1));
}

/**
 * The variance of a task's difference that chance alone would cause. Rates are taken a little towards a half, as in Laplace's rule: ten
 * passes of ten do not mean that a trial can't fail. It keeps a comparison without any change from claiming that it sees everything.
 */
function noise(pairs: readonly Pair[]): number {
  return mean(
    pairs.map(({ before, now }) => {
      const passed = (before.passed + now.passed + 1) / (before.trials + now.trials + 2);
      return passed * (1 - passed) * (1 / before.trials + 1 / now.trials);
    }),
  );
}
