// A session as the host opens it, with the bugs of a host that can be planted in it.

import type { JournalRecord, Lease, OpenSession, Usage } from "../../../src/core/index.js";
import type { Bug } from "../world/planted.js";

/** The same session, or one with the bug if it is one of sessions. */
export function buggySession(bug: Bug | undefined, session: OpenSession): OpenSession {
  if (bug !== "budget-twice" && bug !== "early-release") return session;
  return {
    ...session,
    async lease(onBusy) {
      const lease = await session.lease(onBusy);
      if (lease === undefined) return undefined;
      return bug === "budget-twice" ? countedTwice(lease) : givenBackEarly(lease);
    },
  };
}

/** A lease whose records count each reply of an open run twice. */
function countedTwice(lease: Lease): Lease {
  const from = lease.records.findLastIndex(({ type }) => type === "outcome");
  const records = lease.records.map((record, index) => (index > from ? twice(record) : record));
  return { ...lease, records };
}

function twice(record: JournalRecord): JournalRecord {
  if (record.type !== "reply") return record;
  const { reply, spent } = record;
  const usage = Object.fromEntries(Object.entries(reply.usage).map(([key, count]) => [key, 2 * (count as number)]));
  return {
    ...record,
    reply: { ...reply, usage: usage as unknown as Usage },
    ...(spent !== undefined && { spent: { ...spent, tokens: 2 * spent.tokens } }),
  };
}

/** A lease that is given back with the claim, before the outcome is stored. */
function givenBackEarly(lease: Lease): Lease {
  let hasGiven = false;
  const release = async (): Promise<void> => {
    if (hasGiven) return;
    hasGiven = true;
    await lease.release();
  };
  return {
    ...lease,
    async append(record) {
      await lease.append(record);
      if (record.type === "claim") await release();
    },
    release,
  };
}
