// What happened outside for a session: allowed, intended, once, and told as it was.

import type { JournalRecord } from "../../../src/core/index.js";
import { once } from "../agent/agents.js";
import type { Grant } from "../store/database.js";
import type { EndedSession } from "./check-world.js";

/** @throws Error that names an effect that happened twice, was not intended, or is told wrongly. */
export function checkEffects({ records, effects }: EndedSession): void {
  const seen = new Set<string>();
  const facts = factsOf(records);
  for (const { callId, tool } of effects) {
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

/** Says of which requests and effects the database's list of leases has no lease. */
export function actsWithoutLease({ effects, charges, grants }: EndedSession): readonly string[] {
  const acts = [
    ...charges.map(({ key, worker, sent }) => ({ what: key, worker, sent })),
    ...effects.map(({ callId, worker, sent }) => ({ what: callId, worker, sent })),
  ];
  return acts
    .filter((act) => !mayAct(grants, act))
    .map(({ worker, what }) => `${worker} acted for ${what} without the session`);
}

/** False if the worker had no lease, or had given it back: a lease that was taken away, it need not know of. */
function mayAct(
  grants: readonly Grant[],
  { worker, sent }: { readonly worker: string; readonly sent: number },
): boolean {
  return grants.some(
    (grant) =>
      grant.worker === worker && grant.from <= sent && (grant.until?.how !== "released" || grant.until.at >= sent),
  );
}
