// The circuit: how many iterations in a row failed, and how many of them in the same way. Pure counting; the verdict is in judge.

import { LastcallError } from "../data/fault.js";
import { wholeNumber } from "../data/settings.js";

/** When a run that gets nowhere is stopped. */
export interface CircuitOptions {
  /** How many iterations in a row may fail in the same way before the circuit opens. Default 5. */
  readonly identical?: number | undefined;
  /** How many iterations in a row may fail in any way before the circuit opens. Default 10. */
  readonly inARow?: number | undefined;
  /**
   * How many times in a row the same calls with the same results (one iteration, or a block of up to four) are made until
   * the model is told (`nudge`, default 3, at least 2) and until the run ends `stalled` (`stop`, default 6). False: never.
   */
  readonly stall?: false | { readonly nudge?: number | undefined; readonly stop?: number | undefined } | undefined;
}

/** The same, complete and checked. */
export interface CircuitBounds {
  readonly identical: number;
  readonly inARow: number;
  readonly stall: false | { readonly nudge: number; readonly stop: number };
}

/** The count so far; part of the run's state. */
export interface Circuit {
  /** The signature of the last failed iteration; empty while the circuit has nothing against the run. */
  readonly signature: string;
  /** How many iterations in a row had it. */
  readonly count: number;
  /** How many iterations in a row failed, in whatever way. */
  readonly inARow: number;
  /** For the signature of each failure of the last failed iteration: how many failed iterations in a row had it. */
  readonly repeats: Readonly<Record<string, number>>;
}

/** Nothing has failed. */
export const closedCircuit: Circuit = { signature: "", count: 0, inARow: 0, repeats: {} };

/**
 * The bounds that the options say.
 * @throws LastcallError `configuration` that names the option and says what to give.
 */
export function circuitBounds({ identical = 5, inARow = 10, stall = {} }: CircuitOptions): CircuitBounds {
  return {
    identical: wholeNumber("circuit.identical", identical),
    inARow: wholeNumber("circuit.inARow", inARow),
    stall: stall !== false && stallBounds(stall),
  };
}

function stallBounds({ nudge = 3, stop = 6 }: Exclude<CircuitOptions["stall"], false | undefined>): {
  readonly nudge: number;
  readonly stop: number;
} {
  wholeNumber("circuit.stall.nudge", nudge, 2);
  wholeNumber("circuit.stall.stop", stop, 2);
  if (nudge < stop) return { nudge, stop };
  throw new LastcallError(
    "configuration",
    `circuit.stall.nudge is ${String(nudge)} and circuit.stall.stop is ${String(stop)}: give a nudge that is less than the stop.`,
  );
}

/**
 * Counts one iteration, given the signatures of its failures in order: only one without failures resets. Failed checks
 * have a bound of their own and neither count nor reset.
 */
export function countIteration(circuit: Circuit, failures: readonly string[]): Circuit {
  if (failures.length === 0) return closedCircuit;
  const counted = withoutChecks(failures);
  if (counted.length === 0) return circuit;
  const signature = counted.join("\n");
  return {
    signature,
    count: signature === circuit.signature ? circuit.count + 1 : 1,
    inARow: circuit.inARow + 1,
    repeats: Object.fromEntries(counted.map((each) => [each, (circuit.repeats[each] ?? 0) + 1])),
  };
}

/** True where the count has reached one of the bounds. */
export function isOpen({ count, inARow }: Circuit, bounds: CircuitBounds): boolean {
  return count >= bounds.identical || inARow >= bounds.inARow;
}

/** What opens the circuit if the iteration after the present one fails: any failure, the same again, or nothing yet. */
export type Opener = "any" | "same" | undefined;

/** Looks ahead from the middle of a failed iteration, given the signatures of its failures so far. */
export function nextOpener(circuit: Circuit, failures: readonly string[], bounds: CircuitBounds): Opener {
  if (circuit.inARow + 2 === bounds.inARow) return "any";
  const goesOn = `${circuit.signature}\n`.startsWith(`${withoutChecks(failures).join("\n")}\n`);
  return (goesOn ? circuit.count : 0) + 2 === bounds.identical ? "same" : undefined;
}

function withoutChecks(failures: readonly string[]): readonly string[] {
  return failures.filter((signature) => !signature.startsWith("check_failed|"));
}
