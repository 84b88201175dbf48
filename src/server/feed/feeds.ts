// The feeds of a host by session: one for each session that somebody follows or that a run of this process works on.

import { checkOptions, portKinds, needed, type OptionKinds } from "../../core/internal.js";
import type { Host, RunWatcher, WatchedRun } from "../../host/index.js";
import type { Store } from "../../memory/index.js";
import { Feed, type FeedPlace } from "./feed.js";
import { readCursor, type Frame, type Position } from "./frame.js";
import { readFrames } from "./read-frames.js";

/** The options of `watchSession`. */
export interface WatchOptions {
  readonly host: Host;
  /** The session, which need not exist yet. */
  readonly id: string;
  /** The cursor of the last frame that the caller has. Default: none, so all records come. */
  readonly after?: string | undefined;
  /** Ends the frames. */
  readonly signal: AbortSignal;
}

const watchOptions = {
  host: needed(portKinds.host),
  id: needed("text"),
  after: "text",
  signal: needed("signal"),
} satisfies OptionKinds<WatchOptions>;

/**
 * Yields the frames of a session of a host behind a cursor, and then what happens in it, until the signal aborts: each record once it is
 * stored, and each event that no record tells. `followSession` yields the records alone.
 * @throws LastcallError `configuration` for a text that is no cursor; `store` if the store can't be read.
 */
export function watchSession(options: WatchOptions): AsyncGenerator<Frame, void, void> {
  checkOptions("watchSession", options, watchOptions);
  const { host, id, after, signal } = options;
  return feedsOf(host).frames(id, after, signal);
}

const made = new WeakMap<Host, Feeds>();

/** The feeds of a host, which see its runs of this process from now on. */
export function feedsOf(host: Host): Feeds {
  const known = made.get(host);
  if (known !== undefined) return known;
  const feeds = new Feeds(host.store);
  host.watch(feeds);
  made.set(host, feeds);
  return feeds;
}

/** The feeds of a host. */
export class Feeds implements RunWatcher {
  readonly #store: Store;
  readonly #epoch = crypto.randomUUID().slice(0, 8);
  readonly #feeds = new Map<string, Feed>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The feed of a session. */
  #of(id: string): Feed {
    const known = this.#feeds.get(id);
    if (known !== undefined) return known;
    const feed = new Feed(this.#placeOf(id), () => this.#feeds.delete(id));
    this.#feeds.set(id, feed);
    return feed;
  }

  begin(session: string): WatchedRun {
    const feed = this.#of(session);
    feed.begin();
    return feed;
  }

  /**
   * The frames of a session behind a cursor, until the signal aborts.
   * @throws LastcallError `configuration` for a text that is no cursor.
   */
  frames(id: string, after: string | undefined, signal: AbortSignal): AsyncGenerator<Frame, void, void> {
    return this.#read(id, readCursor(after ?? ""), signal);
  }

  async *#read(id: string, from: Position, signal: AbortSignal): AsyncGenerator<Frame, void, void> {
    yield* readFrames({ feed: this.#of(id), place: this.#placeOf(id), from, signal });
  }

  #placeOf(id: string): FeedPlace {
    return { store: this.#store, id, epoch: this.#epoch };
  }
}
