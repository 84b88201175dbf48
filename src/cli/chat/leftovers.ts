// Leftovers in a session: unread input, an open question, an unfinished turn.

import type { ParkedCall, SentInput, Session } from "../../core/index.js";
import { hasNoEnd, waitingIn, takes } from "../../core/internal.js";
import { approvalOf, questionOf } from "../person/parked.js";
import type { Store, StoredSessionHandle } from "../../memory/index.js";

/**
 * The messages that no run has read, in the order of sending. Nothing leaves the inbox here: a run drops a message after its journal has
 * it, so the words survive whatever happens to this process. A message that a run has read stays in the inbox if it could not be dropped.
 * It does not count.
 */
export async function unreadOf(
  sent: readonly SentInput[],
  { store, session }: { readonly store: Store; readonly session: StoredSessionHandle },
): Promise<readonly SentInput[]> {
  if (sent.length === 0) return [];
  // The inbox is read first: a message that leaves it meanwhile is in the journal by then.
  const inbox = await store.messages(session.id);
  const left = sent.filter(({ id }) => inbox.some((message) => message.id === id));
  if (left.length === 0) return [];
  const kept = await session.toJSON();
  return left.filter(({ id }) => !hasRead(kept, id));
}

/** The words in the inbox of a session that no run has read, in the order of sending. Answers to calls are no words. */
export async function queuedIn(
  kept: Session,
  { store }: { readonly store: Pick<Store, "messages"> },
): Promise<readonly SentInput[]> {
  const inbox = await store.messages(kept.id);
  return inbox
    .map(({ id, text }) => ({ ...(JSON.parse(text) as Omit<SentInput, "id">), id }))
    .filter(({ id, answers }) => answers === undefined && !hasRead(kept, id));
}

/** True if a run has read the input with this id. */
export function hasRead({ records }: Session, id: string): boolean {
  return records.some((record) => takes(record, { inputId: id }));
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
