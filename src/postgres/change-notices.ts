// Notices that a log has changed: one notice for several appends.

import { channelOf, type Channels } from "./channels.js";

/**
 * Milliseconds for which notices are collected. A commit with a notice waits for all other commits with a notice, so appends have no
 * notice.
 */
const together = 10;

/** Tells the followers of a session, in all processes, that its log has changed. A notice may be lost: they look by the clock, too. */
export class ChangeNotices {
  readonly #channels: Channels;
  readonly #channel: string;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #changed = new Set<string>();
  #sending: NodeJS.Timeout | undefined;
  #leave: () => void = () => undefined;

  constructor(channels: Channels, schema: string) {
    this.#channels = channels;
    this.#channel = channelOf(schema);
  }

  /** Tells of a change: the followers in this process at once, the other followers soon. */
  tell(id: string): void {
    this.#ring(id);
    this.#changed.add(id);
    this.#sending ??= setTimeout(() => {
      this.#sending = undefined;
      const ids = [...this.#changed];
      this.#changed.clear();
      void this.#channels.send(this.#channel, ids);
    }, together).unref();
  }

  /** Calls `ring` after changes of the log, until the function that it returns is called. */
  listen(id: string, ring: () => void): () => void {
    if (this.#listeners.size === 0) this.#hear();
    const rings = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, rings.add(ring));
    return () => {
      rings.delete(ring);
      if (rings.size > 0 || this.#listeners.get(id) !== rings) return;
      this.#listeners.delete(id);
      if (this.#listeners.size === 0) this.#leave();
    };
  }

  /** Hears no notices of other processes any more. Followers in this process are told. */
  close(): void {
    this.#leave();
  }

  #hear(): void {
    this.#leave = this.#channels.hear(this.#channel, {
      onText: (id) => {
        this.#ring(id);
      },
      onBegin: () => {
        for (const id of this.#listeners.keys()) this.#ring(id);
      },
    });
  }

  #ring(id: string): void {
    for (const ring of this.#listeners.get(id) ?? []) ring();
  }
}
