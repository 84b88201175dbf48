// Channels over a real server: one connection for all, made anew when it breaks, and given back when nobody hears.

import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { Channels, channelOf } from "../../src/postgres/channels.js";
import { pgStore } from "../../src/postgres/index.js";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";

describe.skipIf(noPostgres)(`channels of Postgres${noPostgres}`, () => {
  const database = useDatabase();
  const pools: pg.Pool[] = [];
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
  });

  function poolOf(max: number): pg.Pool {
    const pool = new pg.Pool({ connectionString: database.server.url, max });
    pools.push(pool);
    pool.on("error", () => undefined);
    return pool;
  }

  /** Hears a channel. */
  function hearing(channels: Channels, channel: string): { heard: string[]; begun: () => number; leave: () => void } {
    const heard: string[] = [];
    let begun = 0;
    const leave = channels.hear(channel, {
      onText: (text) => heard.push(text),
      onBegin: () => {
        begun += 1;
      },
    });
    return { heard, begun: () => begun, leave };
  }

  test("are heard over one connection, which is given back with the last of them", async () => {
    const pool = poolOf(5);
    const channels = new Channels(pool);
    const [one, two] = [hearing(channels, "one"), hearing(channels, "two")];
    await expect.poll(() => [one.begun(), two.begun()]).toEqual([1, 1]);
    const sender = new Channels(poolOf(2));
    await sender.send("one", ["a", "b"]);
    await sender.send("two", ["c"]);
    await expect.poll(() => [one.heard, two.heard]).toEqual([["a", "b"], ["c"]]);
    expect(pool.totalCount).toBe(1);
    one.leave();
    await sender.send("one", ["late"]);
    await sender.send("two", ["d"]);
    await expect.poll(() => two.heard).toEqual(["c", "d"]);
    expect(one.heard).toEqual(["a", "b"]);
    two.leave();
    await expect.poll(() => pool.totalCount).toBe(0);
  });

  test("that are heard and left at once send their connection one statement at a time", async () => {
    const pool = poolOf(5);
    let [atWork, most] = [0, 0];
    pool.on("connect", (client) => {
      const query = client.query.bind(client) as (statement: string) => Promise<pg.QueryResult>;
      client.query = (async (statement: string) => {
        most = Math.max(most, (atWork += 1));
        try {
          return await query(statement);
        } finally {
          atWork -= 1;
        }
      }) as never;
    });
    const channels = new Channels(pool);
    const stays = hearing(channels, "stays");
    await expect.poll(stays.begun).toBe(1);
    for (let time = 0; time < 5; time += 1) hearing(channels, "comes_and_goes").leave();
    const last = hearing(channels, "last");
    await expect.poll(last.begun).toBe(1);
    expect(most).toBe(1);
    channels.close();
  });

  test("are heard again after their connection broke, and whoever hears learns of it", async () => {
    const channels = new Channels(poolOf(5));
    const [one, two] = [hearing(channels, "one"), hearing(channels, "two")];
    await expect.poll(() => [one.begun(), two.begun()]).toEqual([1, 1]);
    await database.pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    await expect.poll(() => [one.begun(), two.begun()], { timeout: 5000 }).toEqual([2, 2]);
    await channels.send("two", ["after it"]);
    await expect.poll(() => two.heard).toEqual(["after it"]);
    channels.close();
  });

  test("of a schema with a long name have names that Postgres takes whole", async () => {
    const names = [undefined, "texts", "watched"].map((kind) => channelOf("s".repeat(63), kind));
    expect(new Set(names).size).toBe(3);
    const channels = new Channels(poolOf(3));
    const [name = ""] = names;
    const { heard, begun } = hearing(channels, name);
    await expect.poll(begun).toBe(1);
    await channels.send(name, ["here"]);
    await expect.poll(() => heard).toEqual(["here"]);
    channels.close();
  });

  test("take no connection of a pool that has two: words wait for their record there", async () => {
    const schema = await database.schema();
    const pool = poolOf(2);
    const store = pgStore(pool, { schema });
    const sender = store.live!.sender("s");
    const other = pgStore(database.pool, { schema });
    const stop = new AbortController();
    other.live!.hear("s", () => undefined, stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([sender.isHeard, pool.totalCount]).toEqual([false, 0]);
    sender.close();
    stop.abort();
    await other[Symbol.asyncDispose]();
  });

  test("are left a second after the last run, so that the pool can end", async () => {
    const schema = await database.schema();
    const pool = new pg.Pool({ connectionString: database.server.url, max: 5 });
    const { live } = pgStore(pool, { schema });
    const sender = live!.sender("s");
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(1);
    sender.close();
    await pool.end();
    expect(pool.totalCount).toBe(0);
  });
});
