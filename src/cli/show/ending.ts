// The end of the command: exit code, words and hints for each outcome.

import type { Outcome } from "../../core/index.js";
import { suggestionsOf } from "../person/choose.js";
import type { LastcallError, OutcomeWithoutSession, Receipt, Usage } from "../../core/index.js";
import { visible } from "../words/visible.js";
import { changedWords, count, seconds, tokens } from "../words/quantities.js";

/** The exit code of an outcome. 0 means completed, or that the checks of `--until-every` passed; nothing else. */
export function exitCode(outcome: Outcome): number {
  switch (outcome.status) {
    case "completed":
      return 0;
    case "waiting":
      return 3;
    case "stopped":
      if (outcome.reason === "check_passed") return 0;
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

/** The outcome in a few words. */
export function describeEnding(outcome: OutcomeWithoutSession): string {
  const words = describeStatus(outcome);
  return outcome.joined === true ? `${words}, by the run that took these words` : words;
}

function describeStatus(outcome: OutcomeWithoutSession): string {
  switch (outcome.status) {
    case "completed":
      return outcome.verified === "unchecked" ? "completed" : `completed, ${outcome.verified}`;
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

/** The expense of a run. */
export interface Taken {
  readonly iterations: number;
  readonly usage: Usage;
  readonly cost: number | undefined;
  /** Milliseconds. */
  readonly duration: number;
}

/** The outcome and the expense in one line. */
export function closingLine(outcome: OutcomeWithoutSession, { iterations, usage, cost, duration }: Taken): string {
  const spent =
    outcome.joined === true && iterations === 0 ? [] : [count(iterations, "iteration"), tokens(usage, cost)];
  const taken = [...spent, seconds(duration)];
  return `${visible(describeEnding(outcome))} · ${taken.join(" · ")}`;
}

/** Reasons not to trust the checks of a completion, a line each. */
export function doubts(receipts: readonly Receipt[]): readonly string[] {
  const lines = receipts.flatMap(({ check, flaky, changed }) => [
    ...(flaky ? [`Check ${check}: it failed, and passed with nothing changed in between. It may be flaky.`] : []),
    ...(changed.length > 0 ? [`Check ${check}: ${changedWords(changed)}`] : []),
  ]);
  const wereGreen = receipts.length > 0 && receipts.every(({ passedAtBaseline }) => passedAtBaseline === true);
  if (wereGreen) lines.push("The checks passed before anything was done, too: they say little about this task.");
  return lines;
}

/** The command that goes on after this outcome; undefined if the run is done, or if going on would not help. */
export function howToGoOn(outcome: Outcome, id: string): string | undefined {
  switch (outcome.status) {
    case "completed":
      return undefined;
    case "waiting":
      return `To answer: lastcall resume ${id} "your answer"${suggestionsOf(outcome.value).length > 0 ? ", or the number of one" : ""}`;
    case "stopped":
      return outcome.reason === "check_passed" ? undefined : `To go on: lastcall resume ${id} ["what to do now"]`;
    case "aborted":
      return `To go on: lastcall resume ${id}`;
    case "failed":
      return outcome.fault.code === "configuration" ? undefined : `To go on: lastcall resume ${id}`;
  }
}
