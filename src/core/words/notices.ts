// Notices: what the model is told between two iterations about the checks and about the end of the run.

import type { CheckRecord } from "../journal/record.js";
import type { ClosingConclusion } from "../ports/outcome.js";
import { endingTools, type Toolbox } from "../ports/toolbox.js";
import { joinNames } from "./join-names.js";

/** The notice about the baseline checks, before the first request; empty if no check ran. */
export function baselineNotice(checks: readonly CheckRecord[]): string {
  const goals = goalsNotice(checks.filter(({ kind }) => kind === undefined));
  const rules = rulesNotice(checks.filter(({ kind }) => kind !== undefined));
  return [goals, rules].filter((text) => text !== "").join("\n\n");
}

/** States the rules, and the advice, by their names. What one says is told if it fails. */
function rulesNotice(checks: readonly CheckRecord[]): string {
  const named = (kind: CheckRecord["kind"], head: string): readonly string[] => {
    const own = checks.filter((check) => check.kind === kind);
    return own.length === 0
      ? []
      : [head, ...own.map(({ check, passed, output }) => `- ${check}${passed ? "" : `: ${output}`}`)];
  };
  return [
    ...named("rule", "These rules hold for your work. A completion that breaks one is refused:"),
    ...named("advice", "These rules should hold, too. Nothing is refused for them:"),
  ].join("\n");
}

function goalsNotice(checks: readonly CheckRecord[]): string {
  const failing = checks.filter(({ passed }) => !passed);
  if (failing.length > 0) {
    const lines = failing.map(({ check, output }) => `The check "${check}" does not pass yet. It says:\n${output}`);
    return ["The task is done when its checks pass. They were run before you began.", ...lines].join("\n\n");
  }
  if (checks.length === 0) return "";
  const names = checks.map(({ check }) => `"${check}"`);
  return `Before you began, the checks of this task were run, and pass already: ${joinNames(names, "and")}. So they do not show that the task is done: see to that yourself.`;
}

/** The notice about checks that fail after an iteration. */
export function failingNotice(checks: readonly CheckRecord[]): string {
  return checks.map(failingWords).join("\n\n");
}

function failingWords({ check, kind, output }: CheckRecord): string {
  if (kind === "rule")
    return `The rule "${check}" is broken since then, so no completion is accepted. It says:\n${output}`;
  if (kind === "advice")
    return `The rule "${check}" is broken since then. Nothing is refused for it. It says:\n${output}`;
  return `The check "${check}" was run after that and does not pass. It says:\n${output}`;
}

/** The notice before the closing iteration. */
export function closingNotice({ reason, message }: ClosingConclusion, tools: Toolbox): string {
  const breaking = endingTools(tools);
  const names = breaking.map(({ name }) => name);
  if (reason === "check_passed") {
    const completing = breaking.filter(({ ending }) => ending === "completed").map(({ name }) => name);
    const call = joinNames(completing.length > 0 ? completing : names, "or");
    return `The goal is reached: ${message}. Your next reply is the last of this run. Call ${call} now and say what was done; no other call is run.`;
  }
  return `The run has to end: ${message}. Your next reply is its last. Call ${joinNames(names, "or")}, and say what is done and what is not; no other call is run.`;
}

/** The result of a call that passed the run on, for the agent that speaks from here on. `name` is undefined for the agent that began. */
export function handOverText(name: string | undefined, sees: "all" | "summary", message: string): string {
  const who = name === undefined ? "The session is handed back to you" : `The session is handed over to you, ${name}`;
  const tools =
    "Your instructions and your tools are those of this request; the calls before were made by another agent.";
  const left = sees === "summary" ? " Only the user's words are left of the messages before." : "";
  return `${who}. ${tools}${left} That agent says:\n${message}`;
}

/** The result of a call that goes on in the background. */
export function startedWork(work: string): string {
  return `It goes on in the background as ${work}. You are told when it ends. Go on meanwhile, or await it with background_result.`;
}

/** The notice about work in the background that has ended. */
export function endedWork(
  work: string,
  { name, ok }: { readonly name: string; readonly ok: boolean },
  text: string,
): string {
  return `${work} (${name}) in the background ${ok ? "has ended" : "has failed"}:\n${text}`;
}
