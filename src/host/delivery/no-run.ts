// Outcomes of inputs that no run took: the journals have no trace of these inputs.

import { noUsage, type AnyOutcome } from "../../core/index.js";
import { asFault } from "../../core/internal.js";

/** The outcome of an input that the agent did not take at all. */
export function refused(id: string, thrown: unknown): AnyOutcome {
  const fault = asFault(thrown);
  return { ...nothing(id), status: "failed", message: fault.message, fault };
}

/** The outcome of an input that was withdrawn before a run took it. */
export function abortedBefore(id: string): AnyOutcome {
  return { ...nothing(id), status: "aborted", message: "It was aborted over the host." };
}

function nothing(id: string) {
  const session = { version: 1, id, records: [] } as const;
  return { session, inputs: [], usage: noUsage, iterations: 0, partial: { text: "" } };
}
