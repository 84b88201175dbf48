// A feed: what happens in one session, for all its clients in this process.

import type { Event, JournalRecord, LastcallError } from "../../core/index.js";
import { readPiece, type LivePiece } from "../../host/host-parts.js";
import type { WatchedRun } from "../../host/index.js";
import { followSession, type Store } from "../../memory/index.js";
import { beginning, writeCursor, type Position } from "./frame.js";
import { Subscription, type Placed } from "./subscription.js";

/** The most events since the last record that are kept for clients that come later. */
const longestTail = 1000;

/** The session of a feed. */
export interface FeedPlace {
  readonly store: Store;
  readonly id: string;
  /** The mark of the hub in the cursors of events. */
  readonly epoch: string;
}

/** The part of a record by which it is known again. */
type Known = Pick<JournalRecord, "seq" | "at">;

/**
 * Passes on the records of a session and the events between them. Records come from a run of this process, which holds the lease, or else
 * from the store.
 */
export class Feed implements WatchedRun {
  readonly #place: FeedPlace;
  readonly #clients = new Set<Subscription>();
  /** The last record that was passed on. Undefined while nobody knows it. */
  #last: Position | undefined;
  #tail: Placed[] | undefined = [];
  /** The number of leases that runs of this process hold: one at most, and a lease that is being given back. */
  #held = 0;
  /** The number of runs of this process on the session. */
  #runs = 0;
  #following: AbortController | undefined;
  /** The number of the last piece of another process since the last record. */
  #heard = 0;
  /** Pieces of another process whose record has not come yet. */
  #ahead: LivePiece[] = [];

  readonly #idle: () => void;

  /** `idle` is called when no client and no run needs the feed any more. */
  constructor(place: FeedPlace, idle: () => void) {
    this.#place = place;
    this.#idle = idle;
  }

  /** A run of this process begins. */
  begin(): void {
    this.#runs += 1;
  }

  /** A run of this process has ended. If its store failed, each client is told, since it may wait long until the run goes on. */
  end(fault?: LastcallError): void {
    this.#runs -= 1;
    if (fault !== undefined) for (const client of this.#clients) client.fail(fault);
    this.#leave();
  }

  /** A run of this process has the lease. Its last record is the place from which it writes. */
  hold(last: Known | undefined): void {
    this.#held += 1;
    this.#following?.abort();
    this.#following = undefined;
    this.#moveTo(last);
  }

  /** The lease is given back. */
  release(): void {
    this.#held -= 1;
    this.#follow();
    this.#leave();
  }

  /** Events of a run of another process. They wait for the record before them, and count if none is missing. */
  #hear({ after, number, events }: LivePiece): void {
    const { seq } = this.#last ?? beginning;
    if (this.#held > 0 || after < seq) return;
    if (this.#last === undefined || after > seq) {
      if (this.#ahead.length < longestTail) this.#ahead.push({ after, number, events });
    } else if (number === this.#heard + 1) {
      this.#heard = number;
      for (const event of events) this.event(event);
    }
  }

  /** Begins to queue frames for a client, the events since the last record first. */
  subscribe(): Subscription {
    const client = new Subscription(this.#tail ?? []);
    this.#clients.add(client);
    return client;
  }

  unsubscribe(client: Subscription): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#following?.abort();
    this.#following = undefined;
    this.#leave();
  }

  #leave(): void {
    if (this.#clients.size === 0 && this.#held === 0 && this.#runs === 0) this.#idle();
  }

  /** A client has read the store up to this record; undefined if it has none. */
  learn(record: Known | undefined): void {
    if (this.#last === undefined || (record !== undefined && record.seq > this.#last.seq && this.#held === 0))
      this.#moveTo(record);
    this.#hearAhead();
    this.#follow();
  }

  #moveTo(record: Known | undefined): void {
    const { seq, at } = record ?? beginning;
    if (this.#last?.seq === seq && this.#last.at === at) return;
    this.#last = { ...beginning, seq, at };
    this.#tail = [];
    this.#heard = 0;
  }

  #hearAhead(): void {
    const pieces = this.#ahead;
    this.#ahead = [];
    for (const piece of pieces) this.#hear(piece);
  }

  record(record: JournalRecord): void {
    if (this.#last !== undefined && record.seq <= this.#last.seq) return;
    this.#moveTo(record);
    const cursor = writeCursor({ ...beginning, seq: record.seq, at: record.at });
    this.#pass({ frame: { cursor, record }, seq: record.seq, events: 0 });
    this.#hearAhead();
  }

  event(event: Event): void {
    const { seq, at, events: before } = this.#last ?? beginning;
    const events = before + 1;
    this.#last = { seq, at, events, epoch: this.#place.epoch };
    const placed = { frame: { cursor: writeCursor(this.#last), event }, seq, events };
    if (events > longestTail) this.#tail = undefined;
    this.#tail?.push(placed);
    this.#pass(placed);
  }

  #pass(placed: Placed): void {
    for (const client of this.#clients) client.push(placed);
  }

  /** Takes the records from the store while clients wait and no run of this process writes. */
  #follow(): void {
    if (this.#following !== undefined || this.#held > 0 || this.#clients.size === 0 || this.#last === undefined) return;
    const stop = new AbortController();
    this.#following = stop;
    const { store, id } = this.#place;
    const onText = (text: string): void => {
      const piece = readPiece(text);
      if (piece !== undefined) this.#hear(piece);
    };
    store.live?.hear(id, onText, stop.signal);
    void this.#take(this.#last.seq, stop.signal);
  }

  async #take(after: number, signal: AbortSignal): Promise<void> {
    const { store, id } = this.#place;
    try {
      for await (const records of followSession({ store, id, after, signal }))
        if (!signal.aborted) for (const record of records) this.record(record);
    } catch {
      // Each client reads the store itself, and learns what is wrong with it.
      if (signal.aborted) return;
      this.#following = undefined;
      this.#last = undefined;
      for (const client of this.#clients) client.lose();
    }
  }
}
