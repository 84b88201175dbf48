// The numbers of the plots.

import type { IterationRow } from "./row.js";
import { tokens } from "./shown-words.js";

/** One plot over the iterations. */
export interface Plot {
  readonly title: string;
  readonly unit: string;
  /** True if its values are whole. */
  readonly isWhole: boolean;
  /** The place of each iteration in the session, from 1. */
  readonly x: readonly number[];
  readonly lines: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
}

/** The distances of the ticks of whole numbers, such as iterations. */
export const wholeSteps: readonly number[] = Array.from({ length: 10 }, (_, at) =>
  [1, 2, 5].map((step) => step * 10 ** at),
).flat();

/** A number beside a plot or below it: whole thousands are short, and small numbers keep two digits. */
export function figure(value: number): string {
  return value >= 1000 ? tokens(value).replace(".0", "") : String(Number(value.toPrecision(2)));
}

/** The ends of the axis beside a plot: from 0 to a little above the highest value, or to 1 if there is nothing to see. */
export function heightOf(highest: number | null): [lowest: number, highest: number] {
  return [0, highest === null || highest <= 0 ? 1 : highest * 1.1];
}

/** The plots of a session. The plot of costs is left out if nothing had a price. */
export function seriesOf(iterations: readonly IterationRow[]): readonly Plot[] {
  const x = iterations.map((_, at) => at + 1);
  const line = (label: string, value: (row: IterationRow, at: number) => number | null): Plot["lines"][number] => ({
    label,
    values: iterations.map(value),
  });
  let [spent, row] = [0, 0];
  const costs = iterations.map(({ cost }) => (spent += cost));
  const streaks = iterations.map(({ failures }) => (row = failures.length > 0 ? row + 1 : 0));
  return [
    {
      ...{ title: "Tokens", unit: "per request", isWhole: true, x },
      lines: [
        line("prompt", ({ usage }) => usage.inputTokens),
        line("cached", ({ usage }) => usage.cachedInputTokens),
        line("output", ({ usage }) => usage.outputTokens),
      ],
    },
    {
      ...{ title: "Latency", unit: "seconds", isWhole: false, x },
      lines: [line("model", ({ asked, at }) => (asked === undefined ? null : (at - asked) / 1000))],
    },
    ...(spent > 0
      ? [{ title: "Cost", unit: "so far", isWhole: false, x, lines: [{ label: "cost", values: costs }] }]
      : []),
    {
      ...{ title: "Failures", unit: "iterations in a row", isWhole: true, x },
      lines: [{ label: "in a row", values: streaks }],
    },
  ];
}
