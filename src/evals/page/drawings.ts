// Drawings of figures. They have no text and measure in percent of their place, so that they fit every width.

import type { Interval } from "../figures/wilson.js";
import { markup, nothing, type Markup } from "./markup.js";

/** A number of percent, with the digits that a screen can show. */
function at(share: number): string {
  return `${String(Number((Math.min(1, Math.max(0, share)) * 100).toFixed(2)))}%`;
}

/** The ticks that every scale of rates has. */
export const ticks = [0, 0.25, 0.5, 0.75, 1] as const;

const grid = ticks.map((tick) => markup`<line class="grid" x1="${at(tick)}" x2="${at(tick)}" y1="0" y2="100%"/>`);

/** A rate as a dot on its interval, from 0 to 100 %. */
export function rateDrawing({ rate, interval }: { readonly rate: number; readonly interval: Interval }): Markup {
  const [low, high] = interval;
  return markup`<svg class="rate" aria-hidden="true">${grid}<line class="interval" x1="${at(low)}" x2="${at(high)}" y1="50%" y2="50%"/><circle class="point" cx="${at(rate)}" cy="50%" r="5"/></svg>`;
}

/** A difference as a dot on its interval, from `-span` to `span`. */
export function differenceDrawing(difference: number, interval: Interval | undefined, span: number): Markup {
  const place = (value: number): string => at((value + span) / (2 * span));
  const line =
    interval === undefined
      ? nothing
      : markup`<line class="interval" x1="${place(interval[0])}" x2="${place(interval[1])}" y1="50%" y2="50%"/>`;
  const lines = [-span, -span / 2, 0, span / 2, span].map(
    (tick) =>
      markup`<line class="${tick === 0 ? "zero" : "grid"}" x1="${place(tick)}" x2="${place(tick)}" y1="0" y2="100%"/>`,
  );
  return markup`<svg class="rate" aria-hidden="true">${lines}${line}<circle class="point" cx="${place(difference)}" cy="50%" r="5"/></svg>`;
}

/** Trials by result. */
export interface ResultCount {
  readonly yes: number;
  readonly no: number;
  readonly void: number;
}

/** A bar of passed, failed and void trials. Its whole width is `of` trials. */
export function resultBar({ yes, no, void: voids }: ResultCount, of: number = yes + no + voids): Markup {
  const whole = Math.max(1, of);
  const part = (name: string, from: number, count: number): Markup =>
    count === 0
      ? nothing
      : markup`<rect class="${name}" x="${at(from / whole)}" width="${at(count / whole)}" height="100%"/>`;
  return markup`<svg class="bar" aria-hidden="true"><rect class="rest" width="100%" height="100%"/>${part("yes", 0, yes)}${part("no", yes, no)}${part("void", yes + no, voids)}</svg>`;
}

/** A point of the plot of expense against success. */
export interface PlottedArm {
  readonly number: number;
  readonly expense: number;
  readonly rate: number;
  readonly interval: Interval;
}

/** Success above expense, with the number of each arm beside its point. `most` is the right end of the scale. */
export function expensePlot(arms: readonly PlottedArm[], most: number): Markup {
  const up = (share: number): string => at(1 - share);
  const along = (expense: number): string => at(expense / most);
  const lines = ticks.map(
    (tick) =>
      markup`<line class="grid" x1="0" x2="100%" y1="${up(tick)}" y2="${up(tick)}"/><line class="grid" x1="${at(tick)}" x2="${at(tick)}" y1="0" y2="100%"/>`,
  );
  // Labels of points that lie beside each other would cover one another, so each next label is lower.
  const placed: { readonly x: number; readonly y: number }[] = [];
  const points = [...arms]
    .sort((a, b) => b.rate - a.rate)
    .map(({ number, expense, rate, interval: [low, high] }) => {
      const x = expense / most;
      let y = 1 - rate;
      while (placed.some((other) => Math.abs(other.x - x) < 0.05 && Math.abs(other.y - y) < 0.07)) y += 0.07;
      placed.push({ x, y });
      return markup`<g class="arm-${arm(number)}"><line class="interval" x1="${along(expense)}" x2="${along(expense)}" y1="${up(low)}" y2="${up(high)}"/><circle class="point" cx="${along(expense)}" cy="${up(rate)}" r="6"/><text x="${along(expense)}" y="${at(y)}" dx="${x > 0.9 ? -12 : 12}" dy="4" text-anchor="${x > 0.9 ? "end" : "start"}">${number}</text></g>`;
    });
  return markup`<svg class="plot" aria-hidden="true">${lines}${points}</svg>`;
}

/** The colours of arms come again after six arms. */
export function arm(number: number): number {
  return ((number - 1) % 6) + 1;
}

/** The smallest round number that is at least this one. */
export function roundAbove(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 1.5, 2, 3, 4, 6, 8, 10].find((step) => step * power >= value * 0.999999) ?? 10) * power;
}
