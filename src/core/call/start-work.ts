// Starts a call in the background, or goes on with a call that a dead process left unfinished.

import type { Decision } from "../data/decision.js";
import type { Execution } from "../ports/hook.js";
import type { Json } from "../data/json.js";
import type { BackgroundCall } from "../journal/state.js";
import type { JournalRecord } from "../journal/record.js";
import { resolve } from "./resolve.js";
import type { Run } from "../run/run.js";
import { runTool, type AllowedCall } from "./run-tool.js";
import { interrupted } from "../words/refusals.js";
import { toEnd } from "../time/stage.js";
import type { Tool } from "../ports/tool.js";

/** Starts the call. Returns the name of the work, such as `bg-1`, by which the model knows it. */
export async function startInBackground(run: Run, tool: Tool, allowed: AllowedCall): Promise<string> {
  const work = `bg-${String(run.state.backgrounds + 1)}`;
  await run.append({ type: "background", callId: allowed.call.id, work });
  begin(run, work, { tool, allowed });
  return work;
}

/**
 * Starts the work of an unfinished call again if its tool is idempotent: the agent of `delegate` goes on in its own session. Returns the
 * failure of the call if it can't, and undefined if the work goes on.
 */
export async function continueWork(
  run: Run,
  { callId, work, name, input, principal }: BackgroundCall,
): Promise<Execution | undefined> {
  const ready = await resolve(run.parts.tools, { type: "call", id: callId, name, input: input as Json }, principal);
  if (!("tool" in ready) || !ready.tool.idempotent || ready.tool.background !== true) {
    return { ok: false, failure: interrupted(name, "gone") };
  }
  const decision = recordedDecision(callId, run.session.records);
  if (!decision.allowed) return { ok: false, failure: interrupted(name, "gone") };
  begin(run, work, { tool: ready.tool, allowed: { call: ready.frozen, decision } });
  return undefined;
}

function begin(
  run: Run,
  work: string,
  { tool, allowed }: { readonly tool: Tool; readonly allowed: AllowedCall },
): void {
  run.background.start(work, tool.name, (signal, see) =>
    toEnd(runTool(run.within(signal), tool, { ...allowed, isInBackground: true }), see),
  );
}

/** The recorded decision about the call; a denial if the journal has none. */
function recordedDecision(callId: string, records: readonly JournalRecord[]): Decision {
  const record = records.findLast((one) => one.type === "decision" && one.callId === callId);
  if (record?.type !== "decision") return { allowed: false, reason: "the journal has no decision about it" };
  const { allowed, reason, basis, opens } = record;
  return { allowed, reason, ...(basis !== undefined && { basis }), ...(opens !== undefined && { opens }) };
}
