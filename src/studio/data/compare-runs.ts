// Comparing two runs: their iterations side by side, and the first place where they differ.

import { diff } from "./diff.js";
import type { IterationRow } from "./row.js";
import { pretty } from "./shown-words.js";

/** Two items side by side. An item is absent if only the other run has it. */
export interface Pair<T> {
  readonly first: T | undefined;
  readonly second: T | undefined;
  /** True if both have the same key. */
  readonly isSame: boolean;
}

/** Two runs compared. */
export interface Comparison<T> {
  readonly pairs: readonly Pair<T>[];
  /** The place of the first pair that differs; -1 if none does. */
  readonly divergence: number;
}

/** Aligns the items of two runs by their keys, in order. */
export function compare<T>(first: readonly T[], second: readonly T[], key: (item: T) => string): Comparison<T> {
  const pairs: Pair<T>[] = [];
  let [i, j] = [0, 0];
  for (const { side } of diff(first, second, key)) {
    if (side === "both") pairs.push({ first: first[i++], second: second[j++], isSame: true });
    else if (side === "first") pairs.push({ first: first[i++], second: undefined, isSame: false });
    else pairs.push({ first: undefined, second: second[j++], isSame: false });
  }
  const joined = beside(pairs);
  return { pairs: joined, divergence: joined.findIndex(({ isSame }) => !isSame) };
}

/** An item of one run and the next item of the other run stand in one line if both differ. */
function beside<T>(pairs: readonly Pair<T>[]): readonly Pair<T>[] {
  const joined: Pair<T>[] = [];
  let [firsts, seconds]: [T[], T[]] = [[], []];
  const close = (): void => {
    for (let line = 0; line < Math.max(firsts.length, seconds.length); line += 1)
      joined.push({ first: firsts[line], second: seconds[line], isSame: false });
    [firsts, seconds] = [[], []];
  };
  for (const pair of pairs) {
    if (pair.isSame) {
      close();
      joined.push(pair);
    } else {
      if (pair.first !== undefined) firsts.push(pair.first);
      if (pair.second !== undefined) seconds.push(pair.second);
    }
  }
  close();
  return joined;
}

/** The calls of an iteration as a text by which it is compared: the tools and the arguments. Without calls, its words count. */
export function callsOf({ calls, text }: IterationRow): string {
  if (calls.length === 0) return `words ${text}`;
  return calls.map((call) => `${call.name} ${pretty(call.arguments)}`).join("\n");
}
