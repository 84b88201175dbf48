// The frames of a session for one client: the records that it lacks from the store, then what happens, without a gap and none twice.

import type { JournalRecord } from "../../core/index.js";
import { recordsAfter } from "../../memory/index.js";
import type { Feed, FeedPlace } from "./feed.js";
import { beginning, writeCursor, type Frame, type Position } from "./frame.js";
import type { Subscription } from "./subscription.js";

/** The session, its feed, and the place behind which the frames begin. */
export interface Reading {
  readonly feed: Feed;
  readonly place: FeedPlace;
  readonly from: Position;
  readonly signal: AbortSignal;
}

/**
 * Yields the frames behind a place until the signal aborts.
 * @throws LastcallError `store` if the store can't be read.
 */
export async function* readFrames({ feed, place, from, signal }: Reading): AsyncGenerator<Frame, void, void> {
  // First the queue and then the store: whatever happens in between comes twice, and is told apart by its number.
  const client = feed.subscribe();
  let at = from;
  let isBehind = true;
  try {
    while (!signal.aborted) {
      if (isBehind) {
        const { records, reset } = await readStore(place, at);
        if (reset !== undefined) {
          at = beginning;
          yield { cursor: writeCursor(at), reset };
        }
        for (const record of records) {
          at = { ...beginning, seq: record.seq, at: record.at };
          yield { cursor: writeCursor(at), record };
        }
        feed.learn(at.at === undefined ? undefined : { seq: at.seq, at: at.at });
      }
      at = yield* takeQueue(client, at, place.epoch);
      await client.wait(signal);
      isBehind = client.takeLost();
    }
  } finally {
    feed.unsubscribe(client);
  }
}

/** Yields the frames of the queue that follow the place. Returns the place behind them. */
function* takeQueue(client: Subscription, from: Position, epoch: string): Generator<Frame, Position, void> {
  let at = from;
  for (const { frame, seq, events } of client.take()) {
    if ("record" in frame) {
      if (seq <= at.seq) continue;
      if (seq > at.seq + 1) {
        client.lose();
        return at;
      }
      at = { ...beginning, seq, at: frame.record.at };
    } else {
      const seen = at.epoch === epoch ? at.events : 0;
      // An event without the events before it makes no sense: the next record tells what they were.
      if (seq !== at.seq || events !== seen + 1) continue;
      at = { ...at, events, epoch };
    }
    yield frame;
  }
  return at;
}

interface FromStore {
  readonly records: readonly JournalRecord[];
  /** Says why the records are all of the journal, if the place is not in it. */
  readonly reset?: string;
}

/** Reads the records behind a place. The record of the place is read as well, to see whether it is the record that the client knows. */
async function readStore({ store, id }: FeedPlace, { seq, at }: Position): Promise<FromStore> {
  if (at === undefined) return { records: await recordsAfter({ store, id }) };
  // A journal that lacks the record is read from its beginning, and so is a journal that can't be read, which throws
  // then.
  const [known, ...records] = await recordsAfter({ store, id, after: seq - 1 }).catch(() => []);
  if (known?.at === at) return { records };
  const reset = `The journal of ${id} has another record ${String(seq)} than the cursor names, or none.`;
  return { records: await recordsAfter({ store, id }), reset };
}
