// Settings: numbers that a caller gives, checked before anything depends on them.

import { LastcallError } from "./fault.js";

/** The longest wait that timers can keep, in milliseconds: almost 25 days. */
const longest = 2 ** 31 - 1;

/**
 * A count: returned as it is.
 * @throws LastcallError `configuration` unless it is a whole number of at least `least`, by default 1.
 */
export function wholeNumber(name: string, value: number, least = 1): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new LastcallError(
    "configuration",
    `${name} is ${String(value)}: give a whole number of at least ${String(least)}.`,
  );
}

/**
 * A time in milliseconds: returned as it is.
 * @throws LastcallError `configuration` unless it is a number that timers can keep.
 */
export function milliseconds(name: string, value: number): number {
  if (value >= 0 && value <= longest) return value;
  throw new LastcallError(
    "configuration",
    `${name} is ${String(value)}: give milliseconds from 0 to ${String(longest)}, or leave it out.`,
  );
}
