// The stall: counts how often in a row the same calls had the same results. The verdict is in the loop's judge.

import { digest, sameJson } from "../data/json.js";

/** The longest block of iterations whose repetition is detected. */
const maxPeriod = 4;

/** A call that succeeded. */
export interface Success {
  readonly name: string;
  /** Its arguments, or its raw text if they could not be read. */
  readonly input: unknown;
  /** The text of its result. */
  readonly text: string;
}

/** The counts so far. They are part of the run's state and do not grow with the run. */
export interface Stall {
  /** The calls of the last counted iterations, latest first. */
  readonly recent: readonly (readonly Success[])[];
  /** For each period from 1 on: the number of iterations in a row that equal the iteration a period earlier. */
  readonly runs: readonly number[];
  /** The number of times in a row that the repeating block occurred; 1 without a repetition, 0 before the first iteration. */
  readonly count: number;
}

/** The stall before the first iteration. */
export const noStall: Stall = { recent: [], runs: [], count: 0 };

/**
 * Counts one iteration without failures, given its calls. A call that is not in the repeating block breaks the repetition. So a change
 * that was not made before in the block counts as progress, even if its result is terse.
 */
export function countRepetition({ recent, runs }: Stall, calls: readonly Success[]): Stall {
  const periods: number[] = [];
  let count = 1;
  for (let index = 0; index < maxPeriod; index += 1) {
    const run = isSame(recent[index], calls) ? (runs[index] ?? 0) + 1 : 0;
    periods.push(run);
    count = Math.max(count, 1 + Math.floor(run / (index + 1)));
  }
  return { recent: [calls, ...recent.slice(0, maxPeriod - 1)], runs: periods, count };
}

/** True for the same calls in the same order, with results that differ only in times. */
function isSame(earlier: readonly Success[] | undefined, calls: readonly Success[]): boolean {
  if (earlier?.length !== calls.length) return false;
  return calls.every(({ name, input, text }, index) => {
    const other = earlier[index];
    return name === other?.name && sameJson(input, other.input) && isSameText(text, other.text);
  });
}

function isSameText(one: string, other: string): boolean {
  return one === other || resultSignature(one) === resultSignature(other);
}

/** A date, a time of day, or a duration. Other numbers stay, because they distinguish results: 30 % is not 40 %. */
const times =
  /\b(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?Z?|\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?|\d{1,9}(?:[.,]\d{1,9})? ?(?:[mµn]?s|sec(?:onds?)?|min(?:utes?)?))\b/g;

/** A signature of a text: equal for texts that differ only in times. */
export function resultSignature(text: string): string {
  return digest(text.replace(times, "<time>"));
}
