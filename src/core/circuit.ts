// The circuit: how many iterations in a row failed in the same way. Pure counting; the verdict is in judge.

/** The count so far; part of the run's state. */
export interface Circuit {
  /** The signature of the last failed iteration; empty while the circuit has nothing against the run. */
  readonly signature: string;
  /** How many iterations in a row had it. */
  readonly count: number;
}

/** Nothing has failed. */
export const closedCircuit: Circuit = { signature: "", count: 0 };

/**
 * Counts one iteration, given the signatures of its failures in order: only one without failures resets. Failed checks
 * have a bound of their own and neither count nor reset.
 */
export function countIteration(circuit: Circuit, failures: readonly string[]): Circuit {
  if (failures.length === 0) return closedCircuit;
  const counted = failures.filter((signature) => !signature.startsWith("check_failed|"));
  if (counted.length === 0) return circuit;
  const signature = counted.join("\n");
  return { signature, count: signature === circuit.signature ? circuit.count + 1 : 1 };
}
