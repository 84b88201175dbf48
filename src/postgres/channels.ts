// The channels of LISTEN and NOTIFY that this process hears: one connection of a pool for all channels, made anew when it
// breaks.

import { createHash } from "node:crypto";
import type { PgClient, PgPool } from "./pool.js";

/** Milliseconds before a connection that broke is made anew. */
const pause = 500;
/** The most characters of the name of a channel. */
const longestName = 63;

/** A listener of a channel. */
export interface ChannelListener {
  /** A text came. */
  onText(text: string): void;
  /** The channel is heard from now on: at the beginning, and after each break. Whatever was sent before nobody heard. */
  onBegin(): void;
}

/** The name of a channel of a schema. */
export function channelOf(schema: string, kind?: string): string {
  const name = `lastcall_${schema}${kind === undefined ? "" : `_${kind}`}`;
  if (name.length <= longestName) return name;
  return `lastcall_${createHash("sha256").update(name).digest("hex").slice(0, 40)}`;
}

const ofPools = new WeakMap<PgPool, Channels>();

/** The channels over this pool. All stores over it share them, and so the connection. */
export function channelsOver(pool: PgPool): Channels {
  const channels = ofPools.get(pool) ?? new Channels(pool);
  ofPools.set(pool, channels);
  return channels;
}

/** The channels that this process hears over one pool. Any text may be lost with the connection. */
export class Channels {
  readonly #pool: PgPool;
  readonly #listeners = new Map<string, Set<ChannelListener>>();
  #client: PgClient | undefined;
  /** The channels that the connection listens to. */
  #heard = new Set<string>();
  #isTending = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(pool: PgPool) {
    this.#pool = pool;
  }

  /** False if one connection for the channels would leave too few for all else. Then nobody hears anything. */
  get hasRoom(): boolean {
    return (this.#pool.options?.max ?? 10) > 2;
  }

  /** Hears a channel until the function that it returns is called. In a pool without room it hears nothing: the clock has to do. */
  hear(channel: string, listener: ChannelListener): () => void {
    if (!this.hasRoom) return () => undefined;
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    // The caller goes on first, so that it can hear what follows from the beginning.
    if (this.#heard.has(channel))
      queueMicrotask(() => {
        if (listeners.has(listener)) listener.onBegin();
      });
    void this.#tend();
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(channel) !== listeners) return;
      this.#listeners.delete(channel);
      if (this.#listeners.size === 0) this.#rest();
      else void this.#tend();
    };
  }

  /**
   * Sends texts over a channel, to the listeners in this process as well. No commit waits for the disk because of such a text: a lost
   * text costs time only.
   */
  async send(channel: string, texts: readonly string[]): Promise<void> {
    const notify = "pg_notify($1, text) FROM unnest($2::text[]) AS text";
    await this.#pool
      .query(`SELECT set_config('synchronous_commit', 'off', true), ${notify}`, [channel, texts])
      .catch(() => undefined);
  }

  /** Takes one step after the other until the connection hears what is wanted: a connection runs one statement at a time. */
  async #tend(): Promise<void> {
    if (this.#isTending) return;
    this.#isTending = true;
    while (this.#listeners.size > 0 && this.#retry === undefined) if (!(await this.#step())) break;
    this.#isTending = false;
  }

  /** Takes the next step. Returns false if there is none. */
  async #step(): Promise<boolean> {
    const client = this.#client;
    if (client === undefined) {
      await this.#connect();
      return true;
    }
    const missing = [...this.#listeners.keys()].find((channel) => !this.#heard.has(channel));
    const left = [...this.#heard].find((channel) => !this.#listeners.has(channel));
    if (missing !== undefined) await this.#listen(client, missing);
    else if (left !== undefined) await this.#unlisten(client, left);
    return (missing ?? left) !== undefined;
  }

  async #connect(): Promise<void> {
    try {
      const client = await this.#pool.connect();
      const lose = (): void => {
        this.#lose(client);
      };
      client.on("error", lose);
      client.on("end", lose);
      client.on("notification", ({ channel, payload }) => {
        for (const listener of this.#listeners.get(channel) ?? []) listener.onText(payload ?? "");
      });
      this.#client = client;
      // The last listener may have left while the connection was made.
      if (this.#listeners.size === 0) this.#lose(client);
    } catch {
      if (this.#listeners.size > 0) this.#again();
    }
  }

  async #listen(client: PgClient, channel: string): Promise<void> {
    try {
      await client.query(`LISTEN ${channel}`);
      if (this.#client !== client) return;
      this.#heard.add(channel);
      for (const listener of this.#listeners.get(channel) ?? []) listener.onBegin();
    } catch {
      this.#lose(client);
    }
  }

  async #unlisten(client: PgClient, channel: string): Promise<void> {
    this.#heard.delete(channel);
    await client.query(`UNLISTEN ${channel}`).catch(() => {
      this.#lose(client);
    });
  }

  /** Nobody hears anything any more. */
  #rest(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (this.#client !== undefined) this.#lose(this.#client);
  }

  /** The connection is closed: it listens, and the pool would give it to other callers so. */
  #lose(client: PgClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#heard = new Set();
    for (const event of ["notification", "end"]) client.removeAllListeners(event);
    client.release(true);
    if (this.#listeners.size > 0) this.#again();
  }

  #again(): void {
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      void this.#tend();
    }, pause).unref();
  }
}
