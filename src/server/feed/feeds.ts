// The feeds of a hub by session: one for each session that somebody follows or works on.

import type { Store } from "../../memory/index.js";
import { Feed, type FeedPlace } from "./feed.js";
import { readCursor, type Frame, type Position } from "./frame.js";
import { readFrames } from "./read-frames.js";

/** The feeds of a hub. */
export class Feeds {
  readonly #store: Store;
  readonly #epoch = crypto.randomUUID().slice(0, 8);
  readonly #feeds = new Map<string, Feed>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The feed of a session. */
  readonly of = (id: string): Feed => {
    const known = this.#feeds.get(id);
    if (known !== undefined) return known;
    const feed = new Feed(this.#placeOf(id), () => this.#feeds.delete(id));
    this.#feeds.set(id, feed);
    return feed;
  };

  /**
   * The frames of a session behind a cursor, until the signal aborts.
   * @throws LastcallError `configuration` for a text that is no cursor.
   */
  frames(id: string, after: string | undefined, signal: AbortSignal): AsyncGenerator<Frame, void, void> {
    return this.#read(id, readCursor(after ?? ""), signal);
  }

  async *#read(id: string, from: Position, signal: AbortSignal): AsyncGenerator<Frame, void, void> {
    yield* readFrames({ feed: this.of(id), place: this.#placeOf(id), from, signal });
  }

  #placeOf(id: string): FeedPlace {
    return { store: this.#store, id, epoch: this.#epoch };
  }
}
