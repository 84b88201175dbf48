// Leftovers: what a turn, or a process that went away, left in the session.

import { replay, type Session } from "../../core/index.js";
import type { StoredSessionHandle } from "../../memory/index.js";

/** What was sent to the session under these ids and no run has read. What others have sent is theirs to go on with. */
export async function takeBack(session: StoredSessionHandle, ids: readonly string[]): Promise<readonly string[]> {
  const lease = await session.lease();
  if (lease === undefined) return [];
  try {
    const sent = (await lease.inbox()).filter(({ id }) => ids.includes(id));
    if (sent.length > 0) await lease.drop(sent.map(({ id }) => id));
    return sent.map(({ text }) => text);
  } finally {
    await lease.release();
  }
}

/** What the session waits for an answer to; undefined where it waits for none. */
export function askedIn({ records }: Session): unknown {
  const { claim, ended } = replay(records);
  return ended === "waiting" ? claim?.value : undefined;
}

/** True where the process of the last turn went away in the midst of it. */
export function isUnfinished({ records }: Session): boolean {
  const last = records.findLast(({ type }) => type === "outcome" || type === "input");
  return last !== undefined && last.type !== "outcome";
}
