// Tells the model about the work in the background that has ended, and goes on with the work that a process left.

import { continueWork } from "./start-work.js";
import { executed } from "./perform.js";
import type { Execution } from "../ports/hook.js";
import { shownOf } from "../journal/outside.js";
import type { BackgroundCall } from "../journal/state.js";
import { notify } from "../run/notify.js";
import type { Run } from "../run/run.js";
import { endedWork } from "../words/notices.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/** Goes on with the work that a process left, then tells of all that has ended. Does nothing in an open iteration. */
export function* tellWork(run: Run): Stage {
  for (const call of run.state.background) {
    if (run.background.has(call.work)) continue;
    const gone = yield* wait(continueWork(run, call));
    if (gone !== undefined) yield* tell(run, call, gone);
  }
  yield* tellEnded(run);
}

/** Tells of the work that has ended. */
export function* tellEnded(run: Run): Stage {
  yield* run.background.takeEvents();
  for (const [work, execution] of run.background.takeEnded()) {
    const call = run.state.background.find((one) => one.work === work);
    if (call !== undefined && !run.hasLeft(call.callId)) yield* tell(run, call, execution);
  }
}

function* tell(run: Run, { callId, work, name }: BackgroundCall, execution: Execution): Stage {
  const { result, error } = yield* wait(executed(run, { id: callId, name }, execution));
  yield* wait(run.append({ type: "background-end", callId, work, result }));
  yield { type: "background-end", work, result, ...(error !== undefined && { error }) };
  yield* notify(run, { about: "background" }, endedWork(work, result, shownOf(result, run.state.nonce)));
}
