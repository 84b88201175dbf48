// The paired comparison: the difference of each task, and the chance of such a sum if the signs were arbitrary.

import { randomFrom } from "./random.js";
import { sum } from "./wilson.js";

/** Up to so many differences, all combinations of signs are tried. */
const mostExact = 16;
const drawn = 10_000;

/** The chances under the assumption that nothing changed. */
export interface SignFlip {
  /** The chance of a sum that is as far from 0 or further. */
  readonly twoSided: number;
  /** The chance of a sum that is as low or lower. */
  readonly worse: number;
  /** The number of differences that are not 0. */
  readonly changed: number;
}

/** The sign-flip test: exact for up to 16 differences that are not 0, otherwise by 10,000 draws from the seed. */
export function signFlip(differences: readonly number[], seed = 1): SignFlip {
  const changed = differences.filter((difference) => difference !== 0);
  const observed = sum(changed);
  const slack = 1e-12;
  const isExact = changed.length <= mostExact;
  const count = isExact ? 2 ** changed.length : drawn;
  const random = randomFrom(seed);
  // A draw counts the observed signs as one of its combinations.
  let far = isExact ? 0 : 1;
  let low = isExact ? 0 : 1;
  for (let mask = isExact ? 0 : 1; mask < count; mask += 1) {
    let total = 0;
    for (const [index, difference] of changed.entries()) {
      const isKept = isExact ? (mask & (1 << index)) !== 0 : random() < 0.5;
      total += isKept ? difference : -difference;
    }
    if (Math.abs(total) >= Math.abs(observed) - slack) far += 1;
    if (total <= observed + slack) low += 1;
  }
  return { twoSided: far / count, worse: low / count, changed: changed.length };
}

/** Holm's correction of the chances of several comparisons, in the same order. */
export function holm(chances: readonly number[]): readonly number[] {
  const order = chances.map((chance, index) => ({ chance, index })).sort((a, b) => a.chance - b.chance);
  const corrected = new Array<number>(chances.length).fill(1);
  let least = 0;
  for (const [rank, { chance, index }] of order.entries()) {
    least = Math.max(least, Math.min(1, chance * (chances.length - rank)));
    corrected[index] = least;
  }
  return corrected;
}
