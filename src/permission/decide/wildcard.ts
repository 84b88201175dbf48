// Matches names with patterns, in time that does not explode with the number of stars.

import type { Work } from "../command/decision-work.js";

/** The steps of one comparison. */
const stepsOfTurn = 0.03;

/** A character of a pattern, a list of characters, or a `*`. */
export type Wild = { readonly is: "one"; readonly fits: (char: string) => boolean } | { readonly is: "any" };

/** The literal characters of a text. */
export function literally(text: string): readonly Wild[] {
  return Array.from(text, (char) => ({ is: "one", fits: (given) => given === char }));
}

/** What `*`, `?` or a list in brackets stands for. */
export function wildOf(pattern: string): Wild {
  if (pattern === "*") return { is: "any" };
  if (pattern === "?") return { is: "one", fits: () => true };
  const isNegated = pattern.startsWith("[!");
  const chars = pattern.slice(isNegated ? 2 : 1, -1);
  return { is: "one", fits: (char) => chars.includes(char) !== isNegated };
}

/** True if the whole name matches. */
export function matchesWild(wilds: readonly Wild[], name: string, work: Work): boolean {
  const chars = Array.from(name);
  let [at, index] = [0, 0];
  /** The last star, and the first character behind what it takes. */
  let star: { readonly index: number; readonly at: number } | undefined;
  while (at < chars.length) {
    work.spend(stepsOfTurn);
    const wild = wilds[index];
    if (wild?.is === "any") {
      star = { index, at };
      index += 1;
    } else if (wild?.fits(chars[at] ?? "") === true) {
      at += 1;
      index += 1;
    } else if (star !== undefined) {
      star = { index: star.index, at: star.at + 1 };
      index = star.index + 1;
      at = star.at;
    } else return false;
  }
  work.spend((wilds.length - index) * stepsOfTurn);
  return wilds.slice(index).every(({ is }) => is === "any");
}
