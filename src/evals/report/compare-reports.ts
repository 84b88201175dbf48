// Comparisons: a variant with the first variant of the same report, or every arm with the same arm of an earlier report.

import { checkOptions, type OptionKinds } from "../../core/internal.js";
import { differenceOf, type Difference } from "../figures/difference.js";
import { alarmsOf, verdictsOn, type Verdict } from "../figures/verdict.js";
import type { Arm } from "../plan/trial-list.js";
import type { ArmReport, Report, TaskCount } from "./eval-report.js";
import { counted, points, verdictWords } from "./figure-words.js";

/** A task whose rate changed, with its passed trials and its trials on both sides. */
export interface Flip {
  readonly task: string;
  readonly before: Pick<TaskCount, "passed" | "trials">;
  readonly now: Pick<TaskCount, "passed" | "trials">;
}

/** A comparison of two arms over the tasks that both have. */
export interface Comparison {
  readonly now: Arm;
  readonly before: Arm;
  readonly difference: Difference;
  readonly verdict: Verdict;
  /** True if the drop is rare and large enough to fail a gate. */
  readonly isAlarm: boolean;
  readonly fell: readonly Flip[];
  readonly rose: readonly Flip[];
}

/** The options of a comparison. */
export interface CompareOptions {
  /** The smallest drop that fails a gate, from 0 to 1. Default 0.02: two points. */
  readonly least?: number | undefined;
}

/** Compares each other variant with the first variant, model by model. */
export function compareVariants(report: Report, options: CompareOptions = {}): readonly Comparison[] {
  const first = report.arms[0]?.variant;
  const others = report.arms.filter(({ variant }) => variant !== first);
  const pairs = others.flatMap((now) => {
    const before = report.arms.find(
      (arm) => arm.variant === first && (arm.model === now.model || now.model === "command" || arm.model === "command"),
    );
    return before === undefined ? [] : [{ now, before }];
  });
  return compared(pairs, options);
}

/** Compares each arm with the arm of the same variant and model in an earlier report. */
export function compareReports(report: Report, earlier: Report, options: CompareOptions = {}): readonly Comparison[] {
  const pairs = report.arms.flatMap((now) => {
    const before = earlier.arms.find(({ variant, model }) => variant === now.variant && model === now.model);
    return before === undefined ? [] : [{ now, before }];
  });
  return compared(pairs, options);
}

function compared(
  pairs: readonly { readonly now: ArmReport; readonly before: ArmReport }[],
  options: CompareOptions,
): readonly Comparison[] {
  checkOptions("compare", options, { least: "number" } satisfies OptionKinds<CompareOptions>);
  const { least = 0.02 } = options;
  const joined = pairs.map(({ now, before }) =>
    now.tasks.flatMap((mine): readonly Flip[] => {
      const theirs = before.tasks.find(({ task }) => task === mine.task);
      if (theirs === undefined || theirs.trials === 0 || mine.trials === 0) return [];
      const side = ({ passed, trials }: TaskCount) => ({ passed, trials });
      return [{ task: mine.task, before: side(theirs), now: side(mine) }];
    }),
  );
  const differences = joined.map((tasks) => differenceOf(tasks));
  const verdicts = verdictsOn(differences);
  const alarms = alarmsOf(differences, least);
  return pairs.flatMap(({ now, before }, index) => {
    const [difference, verdict, tasks = []] = [differences[index], verdicts[index], joined[index]];
    if (difference === undefined || verdict === undefined) return [];
    const change = (flip: Flip): number => flip.now.passed / flip.now.trials - flip.before.passed / flip.before.trials;
    return [
      {
        now: { variant: now.variant, model: now.model },
        before: { variant: before.variant, model: before.model },
        difference,
        verdict,
        isAlarm: alarms[index] === true,
        fell: tasks.filter((flip) => change(flip) < 0),
        rose: tasks.filter((flip) => change(flip) > 0),
      },
    ];
  });
}

/** The share of void trials above which a report is no evidence. */
const mostVoid = 0.05;

/** The reasons for which a report fails a gate, in words for people. None: it passes. */
export function gateOf(report: Report, comparisons: readonly Comparison[] = []): readonly string[] {
  const { rows, tasks, planned } = report;
  const drops = comparisons
    .filter(({ isAlarm }) => isAlarm)
    .map(
      ({ now, difference }) =>
        `${now.variant} with ${now.model} fell by ${(-difference.difference * 100).toFixed(1)} points (chance ${difference.chanceOfDrop.toFixed(3)})`,
    );
  const must = tasks
    .filter((task) => task.must)
    .flatMap(({ id }) => {
      const failed = rows.filter(({ task, result }) => task === id && result === "no");
      return failed.length === 0
        ? []
        : [`${id} must always pass, and ${failed.map((row) => row.id).join(", ")} failed`];
    });
  const voids = rows.filter(({ result }) => result === "void").length;
  const void_ =
    voids > rows.length * mostVoid ? [`${String(voids)} of ${String(rows.length)} trials are void, more than 5 %`] : [];
  const left =
    rows.length < planned ? [`${String(planned - rows.length)} of ${String(planned)} trials were not made`] : [];
  return [...drops, ...must, ...void_, ...left];
}

/** The comparisons as lines for people. */
export function comparisonLines(comparisons: readonly Comparison[]): readonly string[] {
  return comparisons.flatMap(({ now, before, difference, verdict, fell, rose }) => {
    return [
      `${pairName({ now, before })}: ${verdictWords(verdict)}`,
      `  difference ${points(difference.difference)}${difference.interval === undefined ? "" : `, 95 % from ${points(difference.interval[0])} to ${points(difference.interval[1])}`}, over ${counted(difference.tasks, "task")}, ${String(difference.changed)} changed`,
      ...flipLine("fell", fell),
      ...flipLine("rose", rose),
    ];
  });
}

/** The two arms of a comparison. */
export function pairName({ now, before }: Pick<Comparison, "now" | "before">): string {
  const isSame = now.variant === before.variant && now.model === before.model;
  return isSame
    ? `${now.variant} with ${now.model}, now and before`
    : `${now.variant} against ${before.variant}, with ${now.model}`;
}

function flipLine(word: string, flips: readonly Flip[]): readonly string[] {
  if (flips.length === 0) return [];
  const words = flips.map(
    ({ task, before, now }) =>
      `${task} ${String(before.passed)}/${String(before.trials)} to ${String(now.passed)}/${String(now.trials)}`,
  );
  return [`  ${word}: ${words.join(", ")}`];
}
