// How an outcome ends the command: its exit code, and its words.

import type { LastcallError, Outcome } from "../core/index.js";

/** The exit code. 0 is for completion and nothing else. */
export function exitCode(outcome: Outcome): number {
  switch (outcome.status) {
    case "completed":
      return 0;
    case "waiting":
      return 3;
    case "stopped":
      return outcome.reason === "timeout" ? 124 : 2;
    case "aborted":
      return 130;
    case "failed":
      return faultCode(outcome.fault);
  }
}

/** The exit code of a fault. */
export function faultCode({ code }: LastcallError): number {
  return code === "configuration" || code === "authentication" ? 4 : 1;
}

/** How it ended, in a few words. */
export function describeEnding(outcome: Outcome): string {
  switch (outcome.status) {
    case "completed":
      return outcome.verified === "checked" ? "completed, checked" : "completed";
    case "waiting":
      return "waiting for an answer";
    case "stopped":
      return `stopped (${outcome.reason}): ${outcome.message}`;
    case "aborted":
      return "interrupted";
    case "failed":
      return "failed";
  }
}
