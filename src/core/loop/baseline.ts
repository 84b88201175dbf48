// Baseline: runs the checks before the first iteration, so that a later pass can be told from a pass at the start.

import { unlessAborted } from "../time/abort.js";
import type { Check } from "../ports/check.js";
import { examine } from "./examine.js";
import type { Json } from "../data/json.js";
import { notify } from "../run/notify.js";
import { baselineNotice } from "../words/notices.js";
import type { Run } from "../run/run.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/** Runs the checks once for a new task and tells the model their results. Judged checks only get their `begin`. */
export function* baseline(run: Run): Stage {
  const { checks } = run.parts;
  if (checks.length === 0 || run.state.baseline.begun !== undefined) return;
  const begun: Record<string, Json> = {};
  for (const check of checks) {
    const facts = yield* wait(unlessAborted(begin(check, run.signal), run.signal));
    if (facts !== undefined) begun[check.name] = facts;
  }
  const results = [];
  for (const check of checks) {
    if (check.judged !== true) results.push(yield* examine(run, check, { when: "baseline", begun }));
  }
  yield* wait(run.append({ type: "baseline", begun }));
  const text = baselineNotice(results);
  if (text !== "") yield* notify(run, { about: "baseline" }, text);
}

async function begin(check: Check, signal: AbortSignal): Promise<Json | undefined> {
  return check.begin?.(signal);
}
