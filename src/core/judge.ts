// Judge: does the run end here, and how? Pure over the state.

import type { Receipt } from "./check.js";
import { isOpen, type CircuitBounds } from "./circuit.js";
import type { ClaimRecord } from "./record.js";
import type { Parts } from "./run.js";
import type { State } from "./state.js";
import type { StopReason } from "./outcome.js";

/** How a run is to end, before the session and the counts are put to it. */
export type Verdict =
  | {
      readonly status: "completed";
      readonly by: string;
      readonly value: unknown;
      readonly verified: "checked" | "unchecked";
      readonly receipts: readonly Receipt[];
    }
  | { readonly status: "waiting"; readonly by: string; readonly value: unknown; readonly id: string }
  | {
      readonly status: "stopped";
      readonly reason: StopReason;
      readonly message: string;
      readonly partial: { readonly text: string; readonly claim?: { readonly by: string; readonly value: unknown } };
    };

/** The bounds that the judge goes by. */
export type Bounds = Pick<Parts, "circuit" | "maxAttempts" | "limits">;

/** The verdict at the end of an iteration; undefined to go on. */
export function judge(state: State, { circuit: bounds, maxAttempts, limits }: Bounds): Verdict | undefined {
  const { claim, circuit, stall, failedAttempts, text } = state;
  if (claim !== undefined) return accept(claim, text);
  const stopped = (reason: StopReason, message: string): Verdict => ({
    status: "stopped",
    reason,
    message,
    partial: { text },
  });
  if (state.refused) return stopped("refused", "the provider refused to answer");
  if (failedAttempts >= maxAttempts) return stopped("checks_failed", `the checks failed ${times(failedAttempts)}`);
  if (isOpen(circuit, bounds)) return stopped("circuit_open", whyOpen(state, bounds));
  if (bounds.stall !== false && stall.count >= bounds.stall.stop) {
    return stopped("stalled", `${times(stall.count)} in a row the same calls with the same results`);
  }
  for (const limit of limits) {
    const reached = limit.reached(state);
    if (reached !== undefined) return stopped(reached.reason, reached.message);
  }
  return undefined;
}

function accept({ ending, by, value, callId, receipts }: ClaimRecord, text: string): Verdict {
  switch (ending) {
    case "completed":
      return { status: "completed", by, value, verified: receipts.length > 0 ? "checked" : "unchecked", receipts };
    case "waiting":
      return { status: "waiting", by, value, id: callId };
    case "stopped":
      return {
        status: "stopped",
        reason: "gave_up",
        message: `the model gave up by ${by}`,
        partial: { text, claim: { by, value } },
      };
  }
}

/** Which rule opened the circuit, and what failed last. */
function whyOpen({ circuit, failures }: State, { identical }: CircuitBounds): string {
  const what = failures.map(({ kind, tool }) => (tool === undefined ? kind : `${kind} (${tool})`)).join(", ");
  if (circuit.count >= identical) return `${times(circuit.count)} in a row the same failure: ${what}`;
  return `${times(circuit.inARow)} in a row some failure, the last one: ${what}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${String(count)} times`;
}
