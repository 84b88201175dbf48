// Outcomes of inputs that no run took: their journals have nothing of them.

import { LastcallError, noUsage, type AnyOutcome, type FaultCode } from "../../core/index.js";
import { asFault } from "../../core/internal.js";
import type { RunEnd } from "./run-end.js";

/** The outcome of an input that the agent did not take at all. */
export function refused(id: string, thrown: unknown): AnyOutcome {
  const fault = asFault(thrown);
  return { ...nothing(id), status: "failed", message: fault.message, fault };
}

/** The outcome that an end tells whose journal has none: the input was withdrawn, could not be taken, or its run is suspended. */
export function untaken(id: string, { status, suspended, reason, message = status }: RunEnd): AnyOutcome {
  if (status !== "aborted") return refused(id, new LastcallError((reason ?? "bug") as FaultCode, message));
  return { ...nothing(id), status, message, ...(suspended === true && { suspended }) };
}

function nothing(id: string) {
  const session = { version: 1, id, records: [] } as const;
  return { session, inputs: [], usage: noUsage, iterations: 0, partial: { text: "" } };
}
