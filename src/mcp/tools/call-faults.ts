// Call faults: an error of a call, told apart and put into words for the model.

import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { foreignLine } from "../foreign/foreign-text.js";

/** A call that was not made. */
export class Refusal extends Error {}

function codeOf(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown } | null)?.code;
}

/** True for an error with which the server answered, and for an answer that breaks the protocol. */
export function isAnswer(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return (
    typeof code === "number" ||
    code === "INVALID_RESULT" ||
    code === "UNSUPPORTED_RESULT_TYPE" ||
    code === "INPUT_REQUIRED_ROUNDS_EXCEEDED"
  );
}

/** True if the server did not answer in time. */
export function isTimeout(thrown: unknown): boolean {
  return codeOf(thrown) === "REQUEST_TIMEOUT";
}

/** The server of a call, for the words about its faults. */
interface FaultySide {
  /** The server in words. */
  readonly subject: string;
  /** Milliseconds that a call may go without a sign of progress. */
  readonly timeout: number;
  /** The end of the server, in words. */
  readonly ending: string;
}

/** The error for the model. */
export function toldError(thrown: unknown, { subject, timeout, ending }: FaultySide): Error {
  if (thrown instanceof Refusal || thrown instanceof LastcallError) return thrown;
  if (isTimeout(thrown)) {
    const seconds = String(timeout / 1000);
    return new Error(
      `The server gave no answer and no sign of progress within ${seconds} s, so the call was cancelled. Its outcome is unknown.`,
    );
  }
  if (isAnswer(thrown)) return new Error(foreignLine(explain(thrown), 4000));
  return new Error(
    `${subject} ended during this call: ${ending}. The outcome of the call is unknown: find out before you call it again. The next call starts the server again.`,
  );
}

/** The fault of a server that ended, without the end of its error output. */
export function endFault(ending: string): LastcallError {
  const line = (ending.split("\n", 1)[0] ?? "").replace(/\. The end of its error output:$/, "");
  return new LastcallError("provider_unavailable", `it ended (${line})`);
}
