// The error of a call whose agent did not complete its task.

import type { Aborted, Failed, Stopped } from "../../core/index.js";
import { headOf, toJson } from "../../core/internal.js";

/** Characters of the agent's last words that the model reads. */
const maxWords = 2000;

/** Thrown by a tool of `delegate` if its agent ends without a completion. The model reads the message. */
export class ChildFailure<Claim = unknown> extends Error {
  /** The outcome of the agent, with its partial result. */
  readonly outcome: Stopped<Claim> | Aborted | Failed;

  constructor(tool: string, outcome: Stopped<Claim> | Aborted | Failed) {
    super(describe(tool, outcome));
    this.name = "ChildFailure";
    this.outcome = outcome;
  }
}

function describe(tool: string, { status, message, partial }: Stopped<unknown> | Aborted | Failed): string {
  const claim = "claim" in partial ? (toJson(partial.claim) ?? "") : "";
  const words = claim === "" ? partial.text.trim() : claim;
  const shown = words.length > maxWords ? `${headOf(words, maxWords)} [...]` : words;
  const rest = shown === "" ? "It left no partial result." : `Its unfinished, unchecked result: ${shown}`;
  return `${tool} did not complete the task (${status}: ${message}). ${rest}`;
}
