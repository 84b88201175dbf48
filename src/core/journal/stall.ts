// The stall: how many times in a row the same calls had the same results. Pure counting; the verdict is in judge.

import { canonical, digest } from "../data/json.js";

/** The longest block of iterations whose repetition is seen. */
const longestPeriod = 4;

/** The count so far; part of the run's state. It does not grow with the run. */
export interface Stall {
  /** The signatures of the last iterations that count, the latest first. */
  readonly signatures: readonly string[];
  /** For the periods from 1 on: how many iterations in a row were the same as the one so many before. */
  readonly runs: readonly number[];
  /** How many times in a row the block that repeats was seen; 1 where nothing repeats, 0 before the first iteration. */
  readonly count: number;
}

/** Nothing was done yet. */
export const noStall: Stall = { signatures: [], runs: [], count: 0 };

/**
 * Counts one iteration without failures, given what was called in it and what came of it. Whatever is new breaks every
 * repetition: so a change that has not been made in the same way within it is progress, however terse its result.
 */
export function countRepetition({ signatures, runs }: Stall, made: readonly string[]): Stall {
  const signature = digest(made.join("\n"));
  const grown = Array.from({ length: longestPeriod }, (_none, index) =>
    signatures[index] === signature ? (runs[index] ?? 0) + 1 : 0,
  );
  return {
    signatures: [signature, ...signatures].slice(0, longestPeriod),
    runs: grown,
    count: 1 + Math.max(...grown.map((run, index) => Math.floor(run / (index + 1)))),
  };
}

/** A call in short: the same for the same tool and arguments. */
export function callSignature(name: string, input: unknown): string {
  return `${name}|${digest(canonical(input))}`;
}

/** A date, a time of day, or a duration. Other numbers tell one result from another: 30 % is not 40 %. */
const times =
  /\b(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?Z?|\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?|\d{1,9}(?:[.,]\d{1,9})? ?(?:[mµn]?s|sec(?:onds?)?|min(?:utes?)?))\b/g;

/** A result in short: the same for the same text, whatever the times in it. */
export function resultSignature(text: string): string {
  return digest(text.replace(times, "<time>"));
}
