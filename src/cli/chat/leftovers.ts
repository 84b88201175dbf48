// Leftovers in a session: unread input, an open question, an unfinished turn.

import type { NewAttachment, ParkedCall, Session } from "../../core/index.js";
import { hasNoEnd, waitingIn } from "../../core/internal.js";
import { approvalOf, questionOf } from "../person/parked.js";
import type { StoredSessionHandle } from "../../memory/index.js";

/** Messages that no run has read, as the input of the next run. */
export interface TakenBack {
  readonly texts: readonly string[];
  readonly files: readonly NewAttachment[];
}

/**
 * Removes the unread messages with these ids from the inbox, and returns them. Messages of other terminals stay there. If another process
 * holds the session, all messages stay in the inbox for the run of that process. A file whose bytes the person has removed is left out.
 */
export async function takeBack(session: StoredSessionHandle, ids: readonly string[]): Promise<TakenBack> {
  const lease = await session.lease();
  if (lease === undefined) return { texts: [], files: [] };
  try {
    const sent = (await lease.inbox()).filter(({ id }) => ids.includes(id));
    const files: NewAttachment[] = [];
    for (const { digest, mediaType, name } of sent.flatMap(({ attachments = [] }) => attachments)) {
      const bytes = await lease.attachments?.read(digest);
      if (bytes !== undefined) files.push({ bytes, mediaType, name });
    }
    if (sent.length > 0) await lease.drop(sent.map(({ id }) => id));
    return { texts: sent.map(({ text }) => text), files };
  } finally {
    await lease.release();
  }
}

/** The call that waits for an approval; undefined if none does. */
export function parkedIn({ records }: Session): ParkedCall | undefined {
  const waiting = waitingIn(records, Date.now());
  return waiting && approvalOf(waiting);
}

/** The value of the question that the session waits for an answer to; undefined if no question waits. */
export function askedIn({ records }: Session): unknown {
  const waiting = waitingIn(records, Date.now());
  return waiting && questionOf(waiting)?.value;
}

/** True if the last turn has no end: its process went away, or another process is still at work on it. */
export function isUnfinished({ records }: Session): boolean {
  return hasNoEnd(records);
}
