// Conclude: decides from the state alone whether the run ends here, and how. Pure functions.

import type { Conclusion, StoppedConclusion, ClosingConclusion } from "../ports/outcome.js";
import { quorumFor } from "../approvals/approval-rules.js";
import { verificationOf, type Verification } from "../data/receipt.js";
import { isOpen, type CircuitBounds } from "../journal/circuit.js";
import { limitReached, timeoutOf } from "../ports/limit.js";
import type { ParkedCall, StopReason, WaitingCall } from "../ports/outcome.js";
import type { ClaimRecord, ParkedRecord, QuestionRecord } from "../journal/record.js";
import { isGreen } from "./recheck.js";
import { projected, type AgentParts } from "../run/run.js";
import { dueOf, receiptsOf, yesesTo, type Closing, type State } from "../journal/state.js";
import type { Toolbox } from "../ports/toolbox.js";

/** The parts that the decision depends on. */
export type Bounds = Pick<AgentParts, "circuit" | "maxAttempts" | "limits" | "checks" | "tools" | "overhead" | "price">;

/** The conclusion between two iterations; undefined if the run goes on. */
export function conclude(state: State, parts: Bounds): Conclusion | ClosingConclusion | undefined {
  const { circuit: bounds, maxAttempts } = parts;
  const { claim, circuit, closing, stall, failedAttempts } = state;
  const due = dueOf(state);
  if (due !== undefined) return waitFor(due, state);
  if (closing !== undefined) return closing.over ? closed(state, closing, parts.tools) : undefined;
  if (claim !== undefined) return accept(claim, state);
  if (state.full !== undefined) return stop(state, "context_full", state.full);
  if (state.refused) return stop(state, "refused", "the provider refused to answer");
  if (failedAttempts >= maxAttempts) return stop(state, "checks_failed", `the checks failed ${times(failedAttempts)}`);
  if (isOpen(circuit, bounds)) return stop(state, "circuit_open", whyOpen(state, bounds));
  if (bounds.stall !== false && stall.count >= bounds.stall.stop) {
    return stop(state, "stalled", `${times(stall.count)} in a row the same calls with the same results`);
  }
  return reachedEnd(state, parts);
}

/** Ends a run that reached its goal or a limit, with one closing iteration if the limits have room for it. */
function reachedEnd(state: State, parts: Bounds): Conclusion | ClosingConclusion | undefined {
  const { checks, limits } = parts;
  const { reserve } = limits;
  if (isGreen(state, checks)) {
    const goals = checks.filter(({ kind }) => kind === undefined);
    const message = `every check passes: ${goals.map(({ name }) => name).join(", ")}`;
    const hasRoom = limitReached(state, { ...limits, reserve: 0 }, projected(state, parts)) === undefined;
    return hasRoom ? { status: "closing", reason: "check_passed", message } : stop(state, "check_passed", message);
  }
  if (state.expired !== undefined) {
    const { elapsed, expired: message } = state;
    const hasRoom = reserve > 0 && elapsed < (timeoutOf(state, limits) ?? Infinity);
    return hasRoom ? { status: "closing", reason: "timeout", message } : stop(state, "timeout", message);
  }
  const reached = limitReached(state, limits, projected(state, parts));
  if (reached === undefined) return undefined;
  const { reason, canClose } = reached;
  const message = state.noMore === undefined ? reached.message : `${reached.message}; ${noMoreWords(state.noMore)}`;
  return canClose ? { status: "closing", reason, message } : stop(state, reason, message);
}

function noMoreWords(reason: string): string {
  return reason === "" ? "it may not go on" : `it may not go on: ${reason}`;
}

/** A conclusion that stops the run without completion. */
export function stop(state: State, reason: StopReason, message: string): StoppedConclusion {
  return { status: "stopped", reason, message, partial: { text: state.text }, receipts: receiptsOf(state) };
}

/**
 * The conclusion of a run that was neither aborted nor failed, from its last state. The reason and message count only if the run
 * stopped.
 */
export function endingOf(
  state: State,
  { reason, message }: { readonly reason: StopReason; readonly message: string },
): Conclusion {
  const { claim, closing } = state;
  const due = dueOf(state);
  if (due !== undefined) return waitFor(due, state);
  if (claim === undefined) return stop(state, reason, message);
  if (closing === undefined) return accept(claim, state);
  const { by, value, ending, receipts } = claim;
  if (ending === "completed" && isProof(verificationOf(receipts))) return accept(claim, state);
  return { ...stop(state, reason, message), partial: { text: state.text, claim: { by, value } } };
}

/** The conclusion of a run that waits for an approval or for the answer to a question of a call. Its input or value is JSON. */
function waitFor(due: ParkedRecord | QuestionRecord, state: State): Conclusion {
  if (due.type === "parked") return { status: "waiting", ...approvalOf(due, state) };
  return { status: "waiting", ...questionOf(due) };
}

/** The call that waits for an answer to its question. */
export function questionOf(question: QuestionRecord): WaitingCall {
  const { id, name: by, value, replySchema, approves, expiresAt } = question;
  return {
    ...{ by, value, id },
    ...(replySchema !== undefined && { replySchema }),
    ...(approves !== undefined && { approves }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** The call that waits for an approval. Its input is JSON. */
export function approvalOf(parked: ParkedRecord, state: State): ParkedCall {
  const { callId: id, name: by, input, reason: why, digest, preview, expiresAt } = parked;
  const quorum = quorumFor(parked, yesesTo(state, parked));
  const terms = {
    ...(preview !== undefined && { preview }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(quorum !== undefined && { quorum }),
  };
  return { by, id, input, approval: { why, digest, ...terms } };
}

function accept(claim: ClaimRecord, state: State): Conclusion {
  const { ending, by, value, callId, receipts, unverified = [], replySchema, expiresAt } = claim;
  switch (ending) {
    case "completed":
      return { status: "completed", by, value, verified: verificationOf(receipts), unverified, receipts };
    case "waiting":
      return {
        status: "waiting",
        by,
        value,
        id: callId,
        ...(replySchema !== undefined && { replySchema }),
        ...(expiresAt !== undefined && { expiresAt }),
      };
    case "stopped":
      return {
        ...stop(state, "gave_up", `the model gave up by ${by}`),
        partial: { text: state.text, claim: { by, value } },
      };
  }
}

/** The conclusion after the closing iteration. The model had to end, so only a completion that the checks prove counts as one. */
function closed(state: State, { reason, message, calls }: Closing, tools: Toolbox): Conclusion {
  if (state.claim !== undefined) return endingOf(state, { reason, message });
  return { ...stop(state, reason, message), partial: { text: refusedWords(calls, tools) ?? state.text } };
}

/** The streamed text of the first loop-breaking call that has one, though the call was not accepted; undefined without such a text. */
function refusedWords(calls: Closing["calls"], tools: Toolbox): string | undefined {
  for (const call of calls) {
    const { ending = "never", streams = "" } = tools.find(call.name)?.tool ?? {};
    if (ending === "never" || call.type !== "call") continue;
    const words = (call.input as Readonly<Record<string, unknown>> | null)?.[streams];
    if (typeof words === "string") return words;
  }
  return undefined;
}

/** True if the checks show that the run reached its goal. */
function isProof(verified: Verification): boolean {
  return verified === "checked" || verified === "judged";
}

/** The message for an open circuit: the rule that opened it, and the last failures. */
function whyOpen({ circuit, failures }: State, { identical }: CircuitBounds): string {
  const kinds = failures.map(({ kind, tool }) => (tool === undefined ? kind : `${kind} (${tool})`)).join(", ");
  if (circuit.count >= identical) return `${times(circuit.count)} in a row the same failure: ${kinds}`;
  return `${times(circuit.inARow)} in a row some failure, the last one: ${kinds}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${String(count)} times`;
}
