// Recheck: runs checks after each iteration that changed something, so that the run ends when its goal is reached.

import type { Check } from "../ports/check.js";
import type { Event } from "../ports/event.js";
import { examine } from "./examine.js";
import { notify } from "../run/notify.js";
import { failingNotice } from "../words/notices.js";
import type { Run } from "../run/run.js";
import { dueOf, isFresh, stands, type State } from "../journal/state.js";

/**
 * Runs the checks with `every: "iteration"` that have not run since the last change, up to the first that fails; if all pass, runs the
 * other checks too. Tells the model of the failed check, unless it knows that output already. Does nothing while a call waits for an
 * approval or an answer.
 */
export async function* recheck(run: Run): AsyncGenerator<Event, void, void> {
  const frequent = run.parts.checks.filter(isFrequent);
  const { claim, closing, changedAt } = run.state;
  if (frequent.length === 0 || claim !== undefined || closing !== undefined || changedAt < 0) return;
  if (dueOf(run.state) !== undefined) return;
  for (const check of [...frequent, ...run.parts.checks.filter((one) => !isFrequent(one))]) {
    if (stands(run.state, check)) continue;
    if (isFresh(run.state, check)) return;
    const record = yield* examine(run, check, { when: "iteration" });
    if (record.passed) continue;
    const { said = "" } = run.state.checks[check.name] ?? {};
    if (!run.state.told.includes(said)) yield* notify(run, { about: "check" }, failingNotice(record));
    return;
  }
}

/**
 * True if all checks pass since the last change and at least one check runs after iterations: the goal is reached. False if every
 * check passed at the baseline and none has failed since: checks that always pass are no goal.
 */
export function isGreen(state: State, checks: readonly Check[]): boolean {
  const { changedAt, baseline } = state;
  const wasRed = ({ name }: Check): boolean =>
    baseline.passed[name] !== true || (state.checks[name]?.failures ?? 0) > 0;
  return (
    changedAt >= 0 && checks.some(isFrequent) && checks.some(wasRed) && checks.every((check) => stands(state, check))
  );
}

function isFrequent({ every }: Check): boolean {
  return every === "iteration";
}
