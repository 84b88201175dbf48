// Boundary: decides between two iterations whether the run goes on, gets one closing iteration, or ends.

import { conclude, stop } from "./conclude.js";
import { type Conclusion } from "../ports/outcome.js";
import { warnings } from "../ports/limit.js";
import { endingTools } from "../ports/toolbox.js";
import { asksForMore } from "../run/ask-for-more.js";
import { notify } from "../run/notify.js";
import { closingNotice } from "../words/notices.js";
import { tellWork } from "../call/tell-work.js";
import { projected, requestName, type Run } from "../run/run.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/** Returns the conclusion that ends the run, or undefined if another iteration follows, even a closing iteration. */
export function* boundary(run: Run): Stage<Conclusion | undefined> {
  const { parts, state } = run;
  let conclusion = conclude(state, parts) ?? (yield* wait(vetoed(run)));
  if (conclusion !== undefined && (yield* asksForMore(run, conclusion))) conclusion = conclude(run.state, parts);
  if (conclusion !== undefined && conclusion.status !== "closing") return conclusion;
  yield* tellWork(run);
  if (conclusion === undefined) yield* steer(run);
  const name = requestName(state.iteration + 1, conclusion !== undefined);
  const above = yield* wait(run.purse.reserveNext(projected(state, parts), `${run.runKey}/model:${name}`));
  if (conclusion !== undefined) {
    const { reason, message } = conclusion;
    const canEnd = endingTools(parts.tools).length > 0;
    if (above !== undefined || !canEnd) return stop(state, reason, message);
    yield* notify(run, { about: "closing", reason, message }, closingNotice(conclusion, parts.tools));
    return undefined;
  }
  if (above !== undefined) {
    // A run that was being closed when its process died ends for the reason that its model was told.
    const { reason, message } = state.closing ?? above;
    return stop(state, reason, message);
  }
  const change = run.renew();
  if (change !== undefined) yield* notify(run, { about: "tools" }, change);
  for (const { reason, text } of warnings(state, parts.limits)) yield* notify(run, { about: "limit", reason }, text);
  return undefined;
}

/** Asks the `veto` of each hook, after each iteration that did not end the run. */
async function vetoed({ parts, state, signal, context }: Run): Promise<Conclusion | undefined> {
  if (state.iteration === 0 || state.closing !== undefined) return undefined;
  for (const { veto } of parts.hooks) {
    const message: unknown = await veto?.(state, signal, context.given);
    if (typeof message === "string") return stop(state, "veto", message);
  }
  return undefined;
}

/** Takes the words from the session's inbox into the run, in order, each once. */
function* steer(run: Run): Stage {
  const sent = (yield* wait(run.lease?.inbox())) ?? [];
  for (const { id, text, answers, attachments, by } of sent) {
    // No question waits while a run works: the question of this answer was answered before, so the answer changes nothing.
    if (answers !== undefined || run.hasTaken(id)) continue;
    yield* wait(
      run.append({
        ...{ type: "steer", text, sent: id },
        ...(attachments !== undefined && { attachments }),
        ...(by !== undefined && { by }),
      }),
    );
    yield { type: "steer", text };
  }
  if (sent.length > 0) yield* wait(run.lease?.drop(sent.map(({ id }) => id)));
}
