// The end of a try in a few words, for people and for the next round.

import type { AnyOutcome } from "../../core/index.js";

/** The end of the run of a try. */
export function endOf(outcome: AnyOutcome): string {
  switch (outcome.status) {
    case "completed":
      return `completed, ${outcome.verified}`;
    case "waiting":
      return `waits for an answer to ${outcome.by}`;
    case "stopped":
      return `stopped (${outcome.reason}): ${outcome.message}`;
    case "aborted":
    case "failed":
      return `${outcome.status}: ${outcome.message}`;
  }
}
