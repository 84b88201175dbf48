// The ending of a run in one word, and whether a task expects it.

import type { AnyOutcome, LastcallError } from "../../core/index.js";

/** The ending: the tool that ended the run, else the reason or the status of its outcome. */
export function endingOf(outcome: AnyOutcome): string {
  switch (outcome.status) {
    case "completed":
    case "waiting":
      return outcome.by;
    case "stopped":
      return outcome.reason === "gave_up" ? (outcome.partial.claim?.by ?? outcome.reason) : outcome.reason;
    case "aborted":
      return outcome.status;
    case "failed":
      return outcome.fault.code;
  }
}

/** True if one of the expected words is the ending, the status or the reason. */
export function isExpected(outcome: AnyOutcome, ends: readonly string[]): boolean {
  const reason = outcome.status === "stopped" ? outcome.reason : outcome.status;
  return [endingOf(outcome), outcome.status, reason].some((word) => ends.includes(word));
}

/** Faults that say nothing about the agent. */
const passing: ReadonlySet<LastcallError["code"]> = new Set([
  "provider_unavailable",
  "provider_circuit_open",
  "provider_rejected",
  "store",
  "bug",
]);

/** Faults that every other trial would have, too: they end the evaluation. */
const forAll: ReadonlySet<LastcallError["code"]> = new Set(["authentication", "configuration", "script"]);

/** The fault that makes the trial void, or that ends the evaluation; undefined if the outcome counts. */
export function faultOf(
  outcome: AnyOutcome,
): { readonly fault: LastcallError; readonly isForAll: boolean } | undefined {
  if (outcome.status !== "failed") return undefined;
  const { fault } = outcome;
  if (!passing.has(fault.code) && !forAll.has(fault.code)) return undefined;
  return { fault, isForAll: forAll.has(fault.code) };
}
