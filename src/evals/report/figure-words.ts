// Figures in words: the table and the page say each figure alike.

import type { Rate } from "../figures/wilson.js";
import type { Verdict } from "../figures/verdict.js";

/** A rate in percent, without decimals. */
export function percent(rate: number): string {
  return `${(rate * 100).toFixed(0)} %`;
}

/** The ends of the rate's interval. */
export function intervalWords({ interval }: Rate): string {
  return `${percent(interval[0])} to ${percent(interval[1])}`;
}

/** The passed trials of all; a hyphen without trials. */
export function shareOf({ passed, trials }: Rate): string {
  return trials === 0 ? "-" : `${String(passed)}/${String(trials)}`;
}

/** A cost with the digits that tell something; a hyphen for none. */
export function amount(cost: number): string {
  return cost === 0 ? "-" : String(Number(cost.toPrecision(3)));
}

/** The number with its noun. */
export function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A difference of rates in points of a hundred. */
export function points(share: number): string {
  return `${(share * 100).toFixed(1)} points`;
}

/** The verdict of a comparison. */
export function verdictWords(verdict: Verdict): string {
  switch (verdict.is) {
    case "better":
    case "worse":
      return verdict.is;
    case "no-difference":
      return `no difference larger than ${points(verdict.largest)}`;
    case "unseen":
      return verdict.visible === undefined
        ? "could not have seen a drop: it takes at least 5 tasks"
        : `could not have seen a drop of less than ${points(verdict.visible)}`;
  }
}
