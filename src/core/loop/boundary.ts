// Boundary: between two iterations. Does the run go on, is it to be closed with one last iteration, or is it over?

import type { Event } from "../ports/event.js";
import { conclude, stop } from "./conclude.js";
import { type Conclusion } from "../ports/conclusion.js";
import { warnings } from "../ports/limit.js";
import { notify } from "../run/notify.js";
import { closingNotice } from "../words/notices.js";
import { projected, type Run } from "../run/run.js";

/** The verdict that ends the run; undefined where the next iteration is to come. */
export async function* boundary(run: Run): AsyncGenerator<Event, Conclusion | undefined, void> {
  const { parts, state } = run;
  const judgement = conclude(state, parts) ?? (await vetoed(run));
  if (judgement !== undefined && judgement.status !== "closing") return judgement;
  if (judgement === undefined) yield* steer(run);
  const above = run.purse.reserveNext(projected(state, parts));
  if (judgement !== undefined) {
    const { reason, message } = judgement;
    if (above !== undefined) return stop(state, reason, message);
    yield* notify(run, { about: "closing", reason, message }, closingNotice(judgement, parts.tools));
    return undefined;
  }
  if (above !== undefined) return stop(state, above.reason, `of the run around this one, ${above.message}`);
  for (const { reason, text } of warnings(state, parts.limits)) yield* notify(run, { about: "limit", reason }, text);
  return undefined;
}

/** The host's own stop, asked after each iteration that ended nothing. */
async function vetoed({ parts, state, signal }: Run): Promise<Conclusion | undefined> {
  if (state.iteration === 0 || state.closing !== undefined) return undefined;
  for (const { veto } of parts.hooks) {
    const message: unknown = await veto?.(state, signal);
    if (typeof message === "string") return stop(state, "veto", message);
  }
  return undefined;
}

/** Takes what was sent to the session meanwhile into the run, in order, each once. */
async function* steer(run: Run): AsyncGenerator<Event, void, void> {
  const sent = (await run.lease?.inbox()) ?? [];
  for (const { id, text, answers } of sent) {
    // An answer to a question that was answered already changes nothing.
    if (answers !== undefined || run.hasTaken(id)) continue;
    await run.append({ type: "steer", text, sent: id });
    yield { type: "steer", text };
  }
  if (sent.length > 0) await run.lease?.drop(sent.map(({ id }) => id));
}
