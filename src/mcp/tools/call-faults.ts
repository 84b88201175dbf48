// Call faults: an error of a call, told apart and put into words for the model.

import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { codeOf, reasonOf, statusOf, wasNotSent } from "../connect/request-errors.js";
import { endedEarly } from "../connect/tap-messages.js";
import { foreignLine } from "../foreign/foreign-text.js";

/** A call that was not made. */
export class Refusal extends Error {}

/**
 * The end of a call. The server answered it, refused it, did not get it, or gave no answer in time. With `failed` it could not carry out
 * the call, or could not say so; with `broken` the connection ended during the call.
 */
type CallEnd = "answered" | "refused" | "unsent" | "late" | "failed" | "broken";

const answerCodes: readonly unknown[] = ["INVALID_RESULT", "UNSUPPORTED_RESULT_TYPE", "INPUT_REQUIRED_ROUNDS_EXCEEDED"];

/** The end of a call that threw. */
export function endOf(thrown: unknown): CallEnd {
  if (thrown instanceof LastcallError || wasNotSent(thrown)) return "unsent";
  if (thrown instanceof Refusal) return "answered";
  const code = codeOf(thrown);
  const status = statusOf(thrown);
  if (status !== undefined) return status < 500 ? "refused" : "failed";
  if (code === "REQUEST_TIMEOUT") return "late";
  if (code === endedEarly) return "broken";
  return typeof code === "number" || answerCodes.includes(code) ? "answered" : "broken";
}

/** The server of a call, for the words about its faults. */
interface FaultySide {
  /** The server in words. */
  readonly subject: string;
  /** Milliseconds that a call may go without a sign of progress. */
  readonly timeout: number;
  /** The end of a server that was started here, in words; empty for a server elsewhere. */
  readonly ending: string;
}

const unknownOutcome = "The outcome of the call is unknown: find out before you call it again.";

/** The error for the model. The outcome is unknown only if the server may have carried out the call. */
export function toldError(thrown: unknown, { subject, timeout, ending }: FaultySide): Error {
  if (thrown instanceof Refusal) return thrown;
  const why = foreignLine(reasonOf(thrown), 2000);
  switch (endOf(thrown)) {
    case "answered":
      return new Error(foreignLine(explain(thrown), 4000));
    case "refused":
      return new Error(
        `${subject} refused the request with HTTP ${String(statusOf(thrown))} (${why}), so nothing was called.`,
      );
    case "unsent": {
      const said = thrown instanceof LastcallError ? thrown.message : `${subject} can't be reached (${why}).`;
      return new Error(`${said} Nothing was called; the next call tries to reach it again.`);
    }
    case "late":
      return new Error(
        `The server gave no answer and no sign of progress within ${String(timeout / 1000)} s, so the call was cancelled. Its outcome is unknown.`,
      );
    case "failed":
      return new Error(`${subject} failed with HTTP ${String(statusOf(thrown))} (${why}). ${unknownOutcome}`);
    case "broken":
      return ending === ""
        ? new Error(`${subject} broke the connection during this call (${why}). ${unknownOutcome}`)
        : new Error(
            `${subject} ended during this call: ${ending}. ${unknownOutcome} The next call starts the server again.`,
          );
  }
}

/** The fault of a server that ended, without the end of its error output. */
export function endFault(ending: string): LastcallError {
  const line = (ending.split("\n", 1)[0] ?? "").replace(/\. The end of its error output:$/, "");
  return new LastcallError("provider_unavailable", `it ended (${line})`);
}
