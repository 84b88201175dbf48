// Frames: the things that a client sees of a session, and the cursors by which it goes on behind a frame.

import { LastcallError, type Event, type JournalRecord } from "../../core/index.js";

/** A record. Its frame comes once the record is stored. */
export interface RecordFrame {
  readonly cursor: string;
  readonly record: JournalRecord;
}

/** An event that no record tells: a piece of text, progress, a retry. It is not stored, and void once the next record has come. */
export interface EventFrame {
  readonly cursor: string;
  readonly event: Event;
}

/** The journal is not the journal that the client knows: it was restored, deleted or made anew. All its records follow. */
export interface ResetFrame {
  readonly cursor: string;
  readonly reset: string;
}

/** One thing that a client sees of a session, with the cursor behind it. */
export type Frame = RecordFrame | EventFrame | ResetFrame;

/** A place in the frames of a session. */
export interface Position {
  /** The number of the last record; -1 before the first. */
  readonly seq: number;
  /** The time of that record, by which it is known again; undefined before the first. */
  readonly at: number | undefined;
  /** The number of events since that record. */
  readonly events: number;
  /** The mark of the hub that counted the events; undefined if there are none. */
  readonly epoch: string | undefined;
}

/** The place before all frames. */
export const beginning: Position = { seq: -1, at: undefined, events: 0, epoch: undefined };

/** Writes a cursor: `12.mdz0k3f9` behind record 12, `12.mdz0k3f9+3@k3f9x1` behind the third event after it. */
export function writeCursor({ seq, at, events, epoch }: Position): string {
  const record = at === undefined ? "" : `${String(seq)}.${at.toString(36)}`;
  return events === 0 ? record : `${record}+${String(events)}@${epoch ?? ""}`;
}

const form = /^(?:(\d{1,15})\.([0-9a-z]{1,11}))?(?:\+(\d{1,15})@([0-9a-z]{1,20}))?$/;

/**
 * Reads a cursor. An empty text is the place before all frames.
 * @throws LastcallError `configuration` for a text that is no cursor.
 */
export function readCursor(text: string): Position {
  const match = form.exec(text);
  if (match === null) {
    const message = `${JSON.stringify(text.slice(0, 80))} is no cursor: give that of a frame as it came, or none.`;
    throw new LastcallError("configuration", message);
  }
  const [, seq, at, events = "0", epoch] = match;
  return {
    seq: seq === undefined ? -1 : Number(seq),
    at: at === undefined ? undefined : parseInt(at, 36),
    events: Number(events),
    epoch,
  };
}
