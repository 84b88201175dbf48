// Baseline: how things stand before anything is done, so that a check that passes later says something.

import { unlessAborted } from "../time/abort.js";
import type { Check } from "../ports/check.js";
import type { Event } from "../ports/event.js";
import { examine } from "./examine.js";
import type { Json } from "../data/json.js";
import { notify } from "../run/notify.js";
import { baselineNotice } from "../words/notices.js";
import type { Run } from "../run/run.js";

/** Runs the checks once, where there are any and the task is new, and tells the model what they said. */
export async function* baseline(run: Run): AsyncGenerator<Event, void, void> {
  const { checks } = run.parts;
  if (checks.length === 0 || run.state.baseline.begun !== undefined) return;
  const begun: Record<string, Json> = {};
  for (const check of checks) {
    const facts = await unlessAborted(begin(check, run.signal), run.signal);
    if (facts !== undefined) begun[check.name] = facts;
  }
  const seen = [];
  for (const check of checks) {
    if (check.judged !== true) seen.push(yield* examine(run, check, { when: "baseline", begun }));
  }
  await run.append({ type: "baseline", begun });
  const text = baselineNotice(seen);
  if (text !== "") yield* notify(run, { about: "baseline" }, text);
}

async function begin(check: Check, signal: AbortSignal): Promise<Json | undefined> {
  return check.begin?.(signal);
}
