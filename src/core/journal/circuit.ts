// The circuit: counts the iterations in a row that failed, and the iterations that failed in the same way. The verdict is in the
// loop's judge.

import { LastcallError } from "../data/fault.js";
import { checkOptions, choiceOf, type OptionKinds, wholeNumber } from "../data/settings.js";

/** Limits at which a run without progress stops. */
export interface CircuitOptions {
  /** The number of iterations in a row with the same failure that opens the circuit. Default 5. */
  readonly identical?: number | undefined;
  /** The number of failed iterations in a row, in any way, that opens the circuit. Default 10. */
  readonly inARow?: number | undefined;
  /**
   * The limits for repetitions: the same calls with the same results, in one iteration or in a block of up to four. After `nudge`
   * repetitions in a row (default 3, at least 2) the model gets a hint. After `stop` (default 6, more than `nudge`) the run ends
   * `stalled`. False: no limits.
   */
  readonly stall?: false | { readonly nudge?: number | undefined; readonly stop?: number | undefined } | undefined;
}

/** Circuit options that are checked, with their defaults. */
export interface CircuitBounds {
  readonly identical: number;
  readonly inARow: number;
  readonly stall: false | { readonly nudge: number; readonly stop: number };
}

/** The counts so far. They are part of the run's state. */
export interface Circuit {
  /** The signature of the last failed iteration; empty if the last counted iteration succeeded. */
  readonly signature: string;
  /** The number of failed iterations in a row with this signature. */
  readonly count: number;
  /** The number of iterations in a row that failed in any way. */
  readonly inARow: number;
  /** For each failure signature of the last failed iteration: the number of failed iterations in a row that had it. */
  readonly repeats: Readonly<Record<string, number>>;
}

/** The circuit without failures. */
export const closedCircuit: Circuit = { signature: "", count: 0, inARow: 0, repeats: {} };

/**
 * Checks the options and fills in the defaults.
 * @throws LastcallError `configuration` that names the option and says what to give.
 */
export function circuitBounds(options: CircuitOptions): CircuitBounds {
  checkOptions("circuit", options, circuitOptions);
  const { identical = 5, inARow = 10, stall = {} } = options;
  return {
    identical: wholeNumber("circuit.identical", identical),
    inARow: wholeNumber("circuit.inARow", inARow),
    stall: stall !== false && stallBounds(stall),
  };
}

const circuitOptions = {
  identical: "number",
  inARow: "number",
  stall: ["object", choiceOf(false)],
} satisfies OptionKinds<CircuitOptions>;

function stallBounds(options: Exclude<CircuitOptions["stall"], false | undefined>): {
  readonly nudge: number;
  readonly stop: number;
} {
  checkOptions("circuit.stall", options, { nudge: "number", stop: "number" });
  const { nudge = 3, stop = 6 } = options;
  wholeNumber("circuit.stall.nudge", nudge, 2);
  wholeNumber("circuit.stall.stop", stop, 2);
  if (nudge < stop) return { nudge, stop };
  throw new LastcallError(
    "configuration",
    `circuit.stall.nudge is ${String(nudge)} and circuit.stall.stop is ${String(stop)}: give a nudge that is less than the stop.`,
  );
}

/**
 * Counts one iteration, given the signatures of its failures in order. Only an iteration without failures resets the counts.
 * Failed checks have their own limit: they neither count nor reset.
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

/** True if a count has reached its limit. */
export function isOpen({ count, inARow }: Circuit, bounds: CircuitBounds): boolean {
  return count >= bounds.identical || inARow >= bounds.inARow;
}

/** The kind of failure in the next iteration that opens the circuit: any failure, the same failure, or none yet. */
export type Opener = "any" | "same" | undefined;

/**
 * Predicts the opener of the next iteration during a failed iteration. `failures` gives the signatures of its failures so far. They are
 * asked for only if they matter, since a reply may have thousands of failed calls.
 */
export function nextOpener(circuit: Circuit, failures: () => readonly string[], bounds: CircuitBounds): Opener {
  if (circuit.inARow + 2 === bounds.inARow) return "any";
  if (circuit.count + 2 !== bounds.identical && bounds.identical !== 2) return undefined;
  const isSameSoFar = `${circuit.signature}\n`.startsWith(`${withoutChecks(failures()).join("\n")}\n`);
  return (isSameSoFar ? circuit.count : 0) + 2 === bounds.identical ? "same" : undefined;
}

function withoutChecks(failures: readonly string[]): readonly string[] {
  return failures.filter((signature) => !signature.startsWith("check_failed|"));
}
