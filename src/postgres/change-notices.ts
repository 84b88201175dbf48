// Notices that a log has changed, over LISTEN and NOTIFY: one connection for all logs that are followed, one notice for several appends.

import type { PgClient, PgPool } from "./pool.js";

/** Milliseconds for which notices are collected. A commit with a notice waits for all others that have one, so appends have none. */
const together = 10;
/** Milliseconds before a connection that broke is made anew. Those who follow look at the log by the clock meanwhile. */
const pause = 500;

/** Tells those who follow a session, in all processes, that its log has changed. A notice may be lost: they look by the clock, too. */
export class Notices {
  readonly #pool: PgPool;
  readonly #channel: string;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #changed = new Set<string>();
  #sending: NodeJS.Timeout | undefined;
  #client: PgClient | undefined;
  /** True from the first listener to the last one. */
  #isListening = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(pool: PgPool, schema: string) {
    this.#pool = pool;
    this.#channel = `lastcall_${schema}`;
  }

  /** Tells of a change: those of this process at once, the others soon. */
  tell(id: string): void {
    this.#ring(id);
    this.#changed.add(id);
    this.#sending ??= setTimeout(() => {
      this.#send();
    }, together).unref();
  }

  #send(): void {
    this.#sending = undefined;
    const ids = [...this.#changed];
    this.#changed.clear();
    // A notice that is lost costs time only, so its commit does not wait for the disk.
    this.#pool
      .query("SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, id) FROM unnest($2::text[]) AS id", [
        this.#channel,
        ids,
      ])
      .catch(() => undefined);
  }

  /** Calls `ring` after changes of the log, until the function that it returns is called. */
  listen(id: string, ring: () => void): () => void {
    const rings = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, rings.add(ring));
    if (!this.#isListening) void this.#begin();
    return () => {
      rings.delete(ring);
      if (rings.size === 0 && this.#listeners.get(id) === rings) this.#listeners.delete(id);
      if (this.#listeners.size === 0) this.#end();
    };
  }

  /** Gives the connection back. Those who still follow look by the clock. */
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
      client.on("notification", ({ payload }) => {
        this.#ring(payload ?? "");
      });
      this.#client = client;
      await client.query(`LISTEN ${this.#channel}`);
      // Whatever was told before nobody heard.
      for (const id of this.#listeners.keys()) this.#ring(id);
      this.#closeIfUnused();
    } catch {
      if (this.#client === undefined) this.#again();
      else this.#lose(this.#client);
    }
  }

  #end(): void {
    this.#isListening = false;
    clearTimeout(this.#retry);
    if (this.#client !== undefined) this.#lose(this.#client);
  }

  /** The last listener may have left while the connection was made. */
  #closeIfUnused(): void {
    if (!this.#isListening && this.#client !== undefined) this.#lose(this.#client);
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

  #ring(id: string): void {
    for (const ring of this.#listeners.get(id) ?? []) ring();
  }
}
