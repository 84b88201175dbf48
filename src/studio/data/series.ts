// The numbers of the plots.

import type { IterationRow } from "./row.js";

/** One plot over the iterations. */
export interface Plot {
  readonly title: string;
  readonly unit: string;
  /** The place of each iteration in the session, from 1. */
  readonly x: readonly number[];
  readonly lines: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
}

/** The distances of the ticks below a plot: iterations are whole. */
export const wholeSteps: readonly number[] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

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
      ...{ title: "Tokens", unit: "per request", x },
      lines: [
        line("prompt", ({ usage }) => usage.inputTokens),
        line("cached", ({ usage }) => usage.cachedInputTokens),
        line("output", ({ usage }) => usage.outputTokens),
      ],
    },
    {
      ...{ title: "Latency", unit: "seconds", x },
      lines: [line("model", ({ asked, at }) => (asked === undefined ? null : (at - asked) / 1000))],
    },
    ...(spent > 0 ? [{ title: "Cost", unit: "so far", x, lines: [{ label: "cost", values: costs }] }] : []),
    { title: "Failures", unit: "iterations in a row", x, lines: [{ label: "in a row", values: streaks }] },
  ];
}
