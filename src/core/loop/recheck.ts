// Recheck: runs checks after each iteration that changed something, so that the run ends when its goal is reached.

import type { Check } from "../ports/check.js";
import type { CheckRecord } from "../journal/record.js";
import { examine } from "./examine.js";
import { notify } from "../run/notify.js";
import { failingNotice } from "../words/notices.js";
import type { Run } from "../run/run.js";
import { dueOf, isFresh, stands, type State } from "../journal/state.js";
import type { Stage } from "../ports/event.js";

/**
 * Runs the rules and the advice with `every: "iteration"`, and then the goals, that have not run since the last change. Tells the model in
 * one notice of what fails, unless it knows that output already. Does nothing while a call waits for an approval or an answer.
 */
export function* recheck(run: Run): Stage {
  const { claim, closing, changedAt } = run.state;
  if (claim !== undefined || closing !== undefined || changedAt < 0 || dueOf(run.state) !== undefined) return;
  const failing = [...(yield* recheckRules(run)), ...(yield* recheckGoals(run))].filter(({ check }) =>
    isUntold(run.state, { name: check }),
  );
  if (failing.length > 0) yield* notify(run, { about: "check" }, failingNotice(failing));
}

/**
 * Runs all of the rules. Work in the background changes something whenever it likes, and a process may have died before the model was told.
 */
function* recheckRules(run: Run): Stage<readonly CheckRecord[]> {
  const failing: CheckRecord[] = [];
  const { stays, backgrounds } = run.state;
  for (const check of run.parts.checks) {
    if (isGoal(check) || !isFrequent(check)) continue;
    const isAgain = stays && (backgrounds > 0 || isUntold(run.state, check));
    if (isFresh(run.state, check) && !isAgain) continue;
    const record = yield* examine(run, check, { when: "iteration" });
    if (!record.passed) failing.push(record);
  }
  return failing;
}

/** Runs the goals up to the first that fails; if all frequent goals pass, the other goals too. */
function* recheckGoals(run: Run): Stage<readonly CheckRecord[]> {
  const goals = run.parts.checks.filter(isGoal);
  const frequent = goals.filter(isFrequent);
  if (frequent.length === 0) return [];
  for (const check of [...frequent, ...goals.filter((one) => !isFrequent(one))]) {
    if (stands(run.state, check)) continue;
    if (isFresh(run.state, check)) return [];
    const record = yield* examine(run, check, { when: "iteration" });
    if (!record.passed) return [record];
  }
  return [];
}

/**
 * True if all goals and rules pass since the last change and at least one goal runs after iterations: the goal is reached. False if every
 * goal passed at the baseline and none has failed since: checks that always pass are no goal.
 */
export function isGreen(state: State, checks: readonly Check[]): boolean {
  const { changedAt, baseline } = state;
  const wasRed = ({ name }: Check): boolean =>
    baseline.passed[name] !== true || (state.checks[name]?.failures ?? 0) > 0;
  const goals = checks.filter(isGoal);
  const needed = checks.filter(({ kind }) => kind !== "advice");
  return (
    changedAt >= 0 && goals.some(isFrequent) && goals.some(wasRed) && needed.every((check) => stands(state, check))
  );
}

/** True if the check failed, and the model does not know its last output. */
function isUntold({ checks, told }: State, { name }: Pick<Check, "name">): boolean {
  const { receipt, said = "" } = checks[name] ?? {};
  return receipt?.passed === false && !told.includes(said);
}

function isGoal({ kind }: Check): boolean {
  return kind === undefined;
}

function isFrequent({ every }: Check): boolean {
  return every === "iteration";
}
