// The stall: counts how often in a row the same calls had the same results. The verdict is in the loop's judge.

import { canonical, digest } from "../data/json.js";

/** The longest block of iterations whose repetition is detected. */
const maxPeriod = 4;

/** The counts so far. They are part of the run's state and do not grow with the run. */
export interface Stall {
  /** The signatures of the last counted iterations, latest first. */
  readonly signatures: readonly string[];
  /** For each period from 1 on: the number of iterations in a row that equal the iteration one period earlier. */
  readonly runs: readonly number[];
  /** The number of times in a row that the repeating block occurred; 1 without a repetition, 0 before the first iteration. */
  readonly count: number;
}

/** The stall before the first iteration. */
export const noStall: Stall = { signatures: [], runs: [], count: 0 };

/**
 * Counts one iteration without failures, given the signatures of its calls and their results. A signature that is not in the
 * repeating block breaks the repetition. So a change that was not made before in the block counts as progress, even if its
 * result is terse.
 */
export function countRepetition({ signatures, runs }: Stall, calls: readonly string[]): Stall {
  const signature = digest(calls.join("\n"));
  const periods = Array.from({ length: maxPeriod }, (_none, index) =>
    signatures[index] === signature ? (runs[index] ?? 0) + 1 : 0,
  );
  return {
    signatures: [signature, ...signatures].slice(0, maxPeriod),
    runs: periods,
    count: 1 + Math.max(...periods.map((run, index) => Math.floor(run / (index + 1)))),
  };
}

/** A signature of a call: equal for the same tool and arguments. */
export function callSignature(name: string, input: unknown): string {
  return `${name}|${digest(canonical(input))}`;
}

/** A date, a time of day, or a duration. Other numbers stay, because they distinguish results: 30 % is not 40 %. */
const times =
  /\b(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?Z?|\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?|\d{1,9}(?:[.,]\d{1,9})? ?(?:[mµn]?s|sec(?:onds?)?|min(?:utes?)?))\b/g;

/** A signature of a result: equal for texts that differ only in times. */
export function resultSignature(text: string): string {
  return digest(text.replace(times, "<time>"));
}
