// What happened outside for a session: allowed, intended, once, and told as it was.

import type { JournalRecord } from "../../../src/core/index.js";
import { once } from "../agent/agents.js";
import type { Grant } from "../store/database.js";
import type { EndedSession } from "./check-world.js";

/** @throws Error that names an effect that happened twice, was not intended, or is told wrongly. */
export function checkEffects({ records, effects, charges, grants }: EndedSession): void {
  const seen = new Set<string>();
  const facts = factsOf(records);
  for (const { key, worker, sent } of charges) mayAct(grants, { worker, sent, what: key });
  for (const { callId, tool, worker, sent } of effects) {
    mayAct(grants, { worker, sent, what: callId });
    if (tool === "look") continue;
    if (once.has(tool) && seen.has(callId)) throw new Error(`${callId} (${tool}) had its effect twice`);
    seen.add(callId);
    const { isCalled = false, isAllowed = false, isIntended = false, result } = facts.get(callId) ?? {};
    if (!isCalled) throw new Error(`${callId} had an effect, and no reply called it`);
    if (!isAllowed || !isIntended) throw new Error(`${callId} had an effect, and it was not allowed or not intended`);
    if (result === undefined) throw new Error(`${callId} had an effect, and nobody is told`);
    const isTold = result.failure?.kind !== "interrupted" || result.text.includes("outcome is unknown");
    if (!isTold) throw new Error(`${callId} had an effect, and the model is told ${JSON.stringify(result.text)}`);
  }
}

interface Facts {
  isCalled?: boolean;
  isAllowed?: boolean;
  isIntended?: boolean;
  result?: Extract<JournalRecord, { readonly type: "result" }>["result"];
}

function factsOf(records: readonly JournalRecord[]): ReadonlyMap<string, Facts> {
  const all = new Map<string, Facts>();
  const of = (callId: string): Facts => {
    const facts = all.get(callId) ?? {};
    all.set(callId, facts);
    return facts;
  };
  for (const record of records) {
    if (record.type === "reply") for (const call of record.reply.calls) of(call.id).isCalled = true;
    else if (record.type === "decision" && record.allowed) of(record.callId).isAllowed = true;
    else if (record.type === "intent") of(record.callId).isIntended = true;
    else if (record.type === "result") of(record.result.callId).result = record.result;
  }
  return all;
}

/** @throws Error if the worker had no lease to act on, or had given it back: a lease that was taken away, it need not know of. */
function mayAct(
  grants: readonly Grant[],
  { worker, sent, what }: { readonly worker: string; readonly sent: number; readonly what: string },
): void {
  const may = grants.some(
    (grant) =>
      grant.worker === worker && grant.from <= sent && (grant.until?.how !== "released" || grant.until.at >= sent),
  );
  if (!may) throw new Error(`${worker} acted for ${what} without the session`);
}
