// Settings: checks of the numbers that a caller gives, before anything depends on them.

import { LastcallError } from "./fault.js";

/** The longest delay of a timer, in milliseconds: almost 25 days. */
const maxDelay = 2 ** 31 - 1;

/**
 * Checks a count and returns it.
 * @throws LastcallError `configuration` unless `value` is a whole number of at least `least`, by default 1.
 */
export function wholeNumber(name: string, value: number, least = 1): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new LastcallError(
    "configuration",
    `${name} is ${String(value)}: give a whole number of at least ${String(least)}.`,
  );
}

/**
 * Checks a time in milliseconds and returns it.
 * @throws LastcallError `configuration` unless `value` is a valid delay of a timer: from 0 to 2^31 - 1.
 */
export function milliseconds(name: string, value: number): number {
  if (value >= 0 && value <= maxDelay) return value;
  throw new LastcallError(
    "configuration",
    `${name} is ${String(value)}: give milliseconds from 0 to ${String(maxDelay)}, or leave it out.`,
  );
}
