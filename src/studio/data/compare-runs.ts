// Comparing two runs: their iterations side by side, and the first place where they differ.

import { diff } from "./diff.js";
import type { IterationRow } from "./row.js";
import { pretty } from "./shown-words.js";

/** Two iterations side by side. An iteration is absent if only the other run has it. */
export interface Pair {
  readonly first: IterationRow | undefined;
  readonly second: IterationRow | undefined;
  /** True if both called the same tools with the same arguments. */
  readonly isSame: boolean;
}

/** Two runs compared. */
export interface Comparison {
  readonly pairs: readonly Pair[];
  /** The place of the first pair that differs; -1 if none does. */
  readonly divergence: number;
}

/** Aligns two runs by their calls: the tools and the arguments, in order. */
export function compare(first: readonly IterationRow[], second: readonly IterationRow[]): Comparison {
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  for (const { side } of diff(first, second, callsOf)) {
    if (side === "both") pairs.push({ first: first[i++], second: second[j++], isSame: true });
    else if (side === "first") pairs.push({ first: first[i++], second: undefined, isSame: false });
    else pairs.push({ first: undefined, second: second[j++], isSame: false });
  }
  return { pairs: beside(pairs), divergence: beside(pairs).findIndex(({ isSame }) => !isSame) };
}

/** An iteration of one run and the next iteration of the other run stand in one line if both differ. */
function beside(pairs: readonly Pair[]): readonly Pair[] {
  const joined: Pair[] = [];
  for (let at = 0; at < pairs.length;) {
    const end = pairs.findIndex(({ isSame }, index) => index >= at && isSame);
    const run = pairs.slice(at, end === -1 ? undefined : end);
    const [firsts, seconds] = [run.flatMap((pair) => pair.first ?? []), run.flatMap((pair) => pair.second ?? [])];
    for (let line = 0; line < Math.max(firsts.length, seconds.length); line += 1)
      joined.push({ first: firsts[line], second: seconds[line], isSame: false });
    const same = pairs[at + run.length];
    if (same !== undefined) joined.push(same);
    at += run.length + 1;
  }
  return joined;
}

/** The calls of an iteration as a text by which it is compared. Without calls, its words count. */
function callsOf({ calls, text }: IterationRow): string {
  if (calls.length === 0) return `words ${text}`;
  return calls.map((call) => `${call.name} ${pretty(call.arguments)}`).join("\n");
}
