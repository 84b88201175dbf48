// Recheck: checks that are run after every iteration that changed something, so that it is seen when the work is done.

import type { Check } from "../ports/check.js";
import type { Event } from "../ports/event.js";
import { examine } from "./examine.js";
import { notify } from "../run/notify.js";
import { failingNotice } from "../words/notices.js";
import type { Run } from "../run/run.js";
import { isFresh, stands, type State } from "../journal/state.js";

/**
 * Runs the checks with `every: "iteration"` that were not run since the last change, up to the first that does not pass;
 * where all of them pass, the others too. What does not pass is told to the model, unless it was told already.
 */
export async function* recheck(run: Run): AsyncGenerator<Event, void, void> {
  const often = run.parts.checks.filter(isOften);
  const { claim, closing, changedAt } = run.state;
  if (often.length === 0 || claim !== undefined || closing !== undefined || changedAt < 0) return;
  for (const check of [...often, ...run.parts.checks.filter((one) => !isOften(one))]) {
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
 * True where a check is run after iterations, and all of them pass since something was changed: the goal is reached. Not
 * where all of them passed all the time: then they are no goal.
 */
export function isGreen(state: State, checks: readonly Check[]): boolean {
  const { changedAt, baseline } = state;
  const wasRed = ({ name }: Check): boolean =>
    baseline.passed[name] !== true || (state.checks[name]?.failures ?? 0) > 0;
  return changedAt >= 0 && checks.some(isOften) && checks.some(wasRed) && checks.every((check) => stands(state, check));
}

function isOften({ every }: Check): boolean {
  return every === "iteration";
}
