// The end of the command: exit code, words and hints for each outcome.

import type {
  Completed,
  LastcallError,
  AnyOutcome,
  OutcomeWithoutSession,
  Usage,
  Verification,
} from "../../core/index.js";
import { answerCommands, approvalOf, approvalWords, questionOf } from "../person/parked.js";
import { signInHowTo, signInQuestion } from "../person/sign-in-words.js";
import { suggestionsOf } from "../person/choose.js";
import { quoted } from "../args/options.js";
import { replyForm } from "../display/reply-form.js";
import { findingsIn, hasError } from "../display/finding-lines.js";
import { visible } from "../display/visible.js";
import { changedWords, count, seconds, tokens } from "../display/quantities.js";

/** The choices of the person that an exit code depends on. */
export interface Strictness {
  /** True if a completion without checks is not enough. */
  readonly requireVerified: boolean;
}

/**
 * The exit code of an outcome. 0 means completed, or that the checks of `--until-every` passed; nothing else. 5 means a completion
 * whose checks had all passed before anything was done, 6 means a completion without checks if checks are required. A review that found
 * an error has the code 2.
 */
export function exitCode(outcome: AnyOutcome, { requireVerified }: Strictness): number {
  switch (outcome.status) {
    case "completed":
      if (outcome.verified === "held") return 5;
      if (findsError(outcome.by, outcome.value)) return 2;
      return requireVerified && outcome.verified === "unchecked" ? 6 : 0;
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

function findsError(by: string, value: unknown): boolean {
  const found = findingsIn(by, value);
  return found !== undefined && hasError(found);
}

/** The exit code of a fault. */
export function faultCode({ code }: LastcallError): number {
  return code === "configuration" || code === "authentication" || code === "not_allowed" ? 4 : 1;
}

/** The outcome in a few words. */
export function describeEnding(outcome: OutcomeWithoutSession): string {
  const words = describeStatus(outcome);
  return outcome.joined === true ? `${words}, by the run that took these words` : words;
}

/** The command's own tools that wait for words. */
const questions: ReadonlySet<string> = new Set(["ask_question", "converse"]);

function describeStatus(outcome: OutcomeWithoutSession): string {
  switch (outcome.status) {
    case "completed": {
      const words = outcome.by === "task_completion" ? "completed" : `completed by ${outcome.by}`;
      return `${words}, ${outcome.verified}`;
    }
    case "waiting": {
      const parked = approvalOf(outcome);
      if (parked !== undefined) return `waiting for an ${approvalWords(parked)}`;
      return questions.has(outcome.by) ? "waiting for an answer" : `waiting for an answer to ${outcome.by}`;
    }
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

/** Reasons to doubt a completion, and what to do about them, a line each. */
export function doubts(
  { verified, unverified, receipts }: Doubtful,
  { requireVerified }: Strictness,
): readonly string[] {
  const lines = receipts.flatMap(({ check, passed, flaky, changed }) => [
    ...(passed ? [] : [`The rule ${check} is broken.`]),
    ...(flaky ? [`Check ${check}: it failed, and passed with nothing changed in between. It may be flaky.`] : []),
    ...(changed.length > 0 ? [`Check ${check}: ${changedWords(changed)}`] : []),
  ]);
  return [
    ...lines,
    ...unverified.map((part) => `Not verified, says the model: ${part}`),
    ...remedy(verified, requireVerified),
  ];
}

type Doubtful = Pick<Completed<string, unknown>, "verified" | "unverified" | "receipts">;

function remedy(verified: Verification, requireVerified: boolean): readonly string[] {
  if (verified === "held") {
    return [
      "Every check had passed before anything was done, so the checks prove nothing about this task.",
      "Give --until a command that fails until the task is done, for example a new test.",
    ];
  }
  if (verified !== "unchecked" || !requireVerified) return [];
  return ["No check verified this completion. Give one with --until COMMAND."];
}

/** The command that goes on after this outcome; undefined if the run is done, or if going on would not help. */
export function howToGoOn(outcome: AnyOutcome, id: string): string | undefined {
  switch (outcome.status) {
    case "completed":
      return undefined;
    case "waiting": {
      const [parked, question] = [approvalOf(outcome), questionOf(outcome)];
      if (parked !== undefined) return answerCommands(parked, id);
      if (signInQuestion(question) !== undefined) return signInHowTo(id);
      if (question?.replySchema !== undefined)
        return `To answer: lastcall resume ${id} ${quoted(replyForm(question.replySchema))}`;
      return `To answer: lastcall resume ${id} "your answer"${suggestionsOf(question?.value).length > 0 ? ", or the number of one" : ""}`;
    }
    case "stopped":
      return outcome.reason === "check_passed" ? undefined : `To go on: lastcall resume ${id} ["what to do now"]`;
    case "aborted":
      return `To go on: lastcall resume ${id}`;
    case "failed":
      return outcome.fault.code === "configuration" ? undefined : `To go on: lastcall resume ${id}`;
  }
}
