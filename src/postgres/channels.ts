// The channels of LISTEN and NOTIFY that this process hears: one connection for all of them, made anew when it breaks.

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

/** The channels that this process hears. Any text may be lost with the connection. */
export class Channels {
  readonly #pool: PgPool;
  readonly #listeners = new Map<string, ChannelListener>();
  /** The last statement of each connection: one takes a statement at a time. */
  readonly #said = new WeakMap<PgClient, Promise<unknown>>();
  #client: PgClient | undefined;
  /** True from the first listener to the last one. */
  #isListening = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(pool: PgPool) {
    this.#pool = pool;
  }

  /** False if one connection for the channels would leave too few for all else. */
  get hasRoom(): boolean {
    return (this.#pool.options?.max ?? 10) > 2;
  }

  /** Hears a channel until the function that it returns is called. A channel has one listener. */
  hear(channel: string, listener: ChannelListener): () => void {
    this.#listeners.set(channel, listener);
    if (!this.#isListening) void this.#begin();
    else if (this.#client !== undefined) void this.#listen(this.#client, channel);
    return () => {
      if (this.#listeners.get(channel) !== listener) return;
      this.#listeners.delete(channel);
      if (this.#listeners.size === 0) this.#end();
      else if (this.#client !== undefined) this.#say(this.#client, `UNLISTEN ${channel}`).catch(() => undefined);
    };
  }

  /**
   * Sends texts over a channel, to those of this process as well. No commit waits for the disk because of it: a text that is lost costs
   * time only.
   */
  async send(channel: string, texts: readonly string[]): Promise<void> {
    const notify = "pg_notify($1, text) FROM unnest($2::text[]) AS text";
    await this.#pool
      .query(`SELECT set_config('synchronous_commit', 'off', true), ${notify}`, [channel, texts])
      .catch(() => undefined);
  }

  /** Gives the connection back. */
  close(): void {
    this.#listeners.clear();
    this.#end();
  }

  async #begin(): Promise<void> {
    this.#isListening = true;
    try {
      const client = await this.#pool.connect();
      const lose = (): void => {
        this.#lose(client);
      };
      client.on("error", lose);
      client.on("end", lose);
      client.on("notification", ({ channel, payload }) => {
        this.#listeners.get(channel)?.onText(payload ?? "");
      });
      this.#client = client;
      for (const channel of this.#listeners.keys()) await this.#listen(client, channel);
      // The last listener may have left while the connection was made.
      if (this.#listeners.size === 0) this.#lose(client);
    } catch {
      if (this.#client === undefined) this.#again();
      else this.#lose(this.#client);
    }
  }

  async #listen(client: PgClient, channel: string): Promise<void> {
    try {
      await this.#say(client, `LISTEN ${channel}`);
      this.#listeners.get(channel)?.onBegin();
    } catch {
      this.#lose(client);
    }
  }

  /** Sends a statement behind the one before. */
  #say(client: PgClient, statement: string): Promise<unknown> {
    const said = (this.#said.get(client) ?? Promise.resolve()).then(() => client.query(statement));
    this.#said.set(
      client,
      said.catch(() => undefined),
    );
    return said;
  }

  #end(): void {
    this.#isListening = false;
    clearTimeout(this.#retry);
    if (this.#client !== undefined) this.#lose(this.#client);
  }

  /** The connection is closed: it listens, and the pool would give it to others so. */
  #lose(client: PgClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    for (const event of ["notification", "end"]) client.removeAllListeners(event);
    client.release(true);
    if (this.#isListening) this.#again();
  }

  #again(): void {
    this.#retry = setTimeout(() => {
      if (this.#isListening) void this.#begin();
    }, pause).unref();
  }
}
