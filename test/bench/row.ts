// A row of the bench, for its tests.

import type { Measured, Row } from "../../bench/figures/index.mjs";

export function row(name: string, more: Partial<Row> = {}): Row {
  return { name, title: `the row ${name}`, mode: "loop", judged: ["cpu"], ...more };
}

/** Three rounds of the row n200 in which lastcall takes these ratios of the loop by hand, whose own time doubles from round to round. */
export function measuredAt(...ratios: readonly number[]): Measured {
  const hand = ratios.map((_, round) => 2 ** round);
  return { n200: { hand: { cpu: hand }, lastcall: { cpu: ratios.map((ratio, round) => ratio * hand[round]!) } } };
}
