// Recount: counts the replies of agents that a dead process had stored in their journals, and not yet counted in the run around them.

import { asFault } from "../data/fault.js";
import type { JournalRecord } from "../journal/record.js";
import type { Session } from "../journal/session.js";
import { addSpent, nothingSpent, spentOn, type Spent } from "../journal/spent.js";
import type { Run } from "./run.js";

/**
 * Compares what the agents of open calls have used, by their journals, with what this run has recorded, and records the rest. A reply and
 * its usage in the runs above are written one after the other, each to its own journal. Nothing below has begun yet, so no agent draws
 * from the limits before all is counted.
 * @throws LastcallError `store` if the rest can't be recorded.
 */
export async function recount(run: Run): Promise<void> {
  const { unanswered, background } = run.state;
  for (const { callId, hasChild } of [...unanswered, ...background]) {
    if (hasChild !== true) continue;
    const counted = countedFor(callId, run.memory.records);
    if (counted === undefined) continue;
    const used = usedIn(callId, await sessionsOf(run, callId));
    const spent = {
      iterations: Math.max(0, used.iterations - counted.iterations),
      tokens: Math.max(0, used.tokens - counted.tokens),
      cost: Math.max(0, used.cost - counted.cost),
    };
    if (spent.iterations + spent.tokens > 0) await run.append({ type: "spend", spent, callId });
  }
}

/** The sessions of the agent of a call. If they can't be read, its call fails when it runs again, and the run goes on. */
async function sessionsOf(run: Run, callId: string): Promise<Readonly<Record<string, Session>>> {
  try {
    return await run.sessionsOf(callId);
  } catch (thrown) {
    run.parts.runtime.warn(asFault(thrown));
    return {};
  }
}

/** The recorded usage of the agent of a call; undefined if an older version recorded it, which did not say for which call. */
function countedFor(callId: string, records: readonly JournalRecord[]): Spent | undefined {
  const begun = records.findIndex((record) => record.type === "child" && record.callId === callId);
  let sum = nothingSpent;
  for (const record of records.slice(begun)) {
    if (record.type !== "spend") continue;
    // A summary is no iteration.
    if (record.callId === undefined && record.spent.iterations > 0) return undefined;
    if (record.callId === callId) sum = addSpent(sum, record.spent);
  }
  return sum;
}

/** All that the agent of a call has used, and the agents below it have used: their replies and their summaries. */
function usedIn(callId: string, sessions: Readonly<Record<string, Session>>): Spent {
  const amounts = (sessions[callId]?.records ?? []).map((record): Spent => {
    if (record.type === "reply") return record.spent ?? spentOn(record.reply.usage, undefined);
    if (record.type === "child") return usedIn(record.callId, sessions);
    return record.type === "spend" && record.callId === undefined ? record.spent : nothingSpent;
  });
  return amounts.reduce(addSpent, nothingSpent);
}
