// The row of a trial: everything that a report counts, as plain data.

import type { Verification } from "../../core/index.js";

/** The truth at one claim, and whether the checks refused it. */
export interface ClaimRow {
  readonly truth: "yes" | "no" | "void" | "unknown";
  readonly isRefused: boolean;
}

/** The result of one trial. Times are in milliseconds. */
export interface TrialRow {
  /** `<task>.<variant>.<model>.<trial>`. */
  readonly id: string;
  readonly task: string;
  readonly variant: string;
  /** The name of the model in the evaluation; `command` for a command. */
  readonly model: string;
  readonly trial: number;
  /** `void`: neither a pass nor a failure, because the trial could not be judged. */
  readonly result: "yes" | "no" | "void";
  /** The reason of a no or a void, in words for people, without secrets. */
  readonly why: string;
  /** The tool that ended the run, else the status or the reason of its outcome. */
  readonly ending: string;
  readonly status: string;
  /** The answer of the truth about the end, whatever the ending; undefined if it was not asked. */
  readonly truth?: "yes" | "no" | undefined;
  readonly verified?: Verification | undefined;
  /** The number of things that the model itself declared unverified. */
  readonly declared: number;
  /** The claims of completion that the checks looked at, or that were accepted, in order. */
  readonly claims: readonly ClaimRow[];
  /** The files that checks watch and that were changed, over all checks. */
  readonly changed: readonly string[];
  /** The questions that the user answered. */
  readonly answered: number;
  readonly iterations: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  /** The work time of the run, over all processes. */
  readonly duration: number;
  /** The names under which the provider served the model. */
  readonly served: readonly string[];
  /** The attempts that were void before this one. */
  readonly attempts: number;
}
