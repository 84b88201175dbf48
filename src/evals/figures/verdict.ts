// The verdict on a comparison: better or worse, no difference larger than a bound, or an eval that could not have seen one.

import { holm } from "./sign-flip.js";
import type { Difference } from "./difference.js";

/** The verdict on one comparison. */
export type Verdict =
  | { readonly is: "better" | "worse" }
  /** The whole interval lies within this bound of 0. */
  | { readonly is: "no-difference"; readonly largest: number }
  /** Nothing was seen, and a drop smaller than `visible` would not have been; undefined: no drop at all. */
  | { readonly is: "unseen"; readonly visible: number | undefined };

/** A chance up to this one counts. */
const rare = 0.05;

/** An interval within this bound of 0 is called no difference. */
const bound = 0.1;

/** The verdicts on comparisons that are made together, with Holm's correction. */
export function verdictsOn(differences: readonly Difference[]): readonly Verdict[] {
  const chances = holm(differences.map(({ chance }) => chance));
  return differences.map((difference, index) => verdictOn(difference, chances[index] ?? 1));
}

function verdictOn({ difference, interval, visible }: Difference, chance: number): Verdict {
  if (chance <= rare && difference !== 0) return { is: difference > 0 ? "better" : "worse" };
  const largest = interval === undefined ? 1 : Math.max(Math.abs(interval[0]), Math.abs(interval[1]));
  return largest <= bound ? { is: "no-difference", largest } : { is: "unseen", visible };
}

/** True for each comparison that is an alarm: a rare drop, after Holm's correction, of at least `least`. */
export function alarmsOf(differences: readonly Difference[], least: number): readonly boolean[] {
  const chances = holm(differences.map(({ chanceOfDrop }) => chanceOfDrop));
  return differences.map(({ difference }, index) => (chances[index] ?? 1) <= rare && -difference >= least);
}
