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
    stays.leave();
    last.leave();
  });

  test("are heard again after their connection broke, and whoever hears learns of it", async () => {
    const channels = new Channels(poolOf(5));
    const [one, two] = [hearing(channels, "one"), hearing(channels, "two")];
    await expect.poll(() => [one.begun(), two.begun()]).toEqual([1, 1]);
    await database.pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    await expect.poll(() => [one.begun(), two.begun()]).toEqual([2, 2]);
    await channels.send("two", ["after it"]);
    await expect.poll(() => two.heard).toEqual(["after it"]);
    one.leave();
    two.leave();
  });

  test("of a schema with a long name have names that Postgres takes whole", async () => {
    const names = [undefined, "texts", "watched"].map((kind) => channelOf("s".repeat(63), kind));
    expect(new Set(names).size).toBe(3);
    const channels = new Channels(poolOf(3));
    const [name = ""] = names;
    const { heard, begun, leave } = hearing(channels, name);
    await expect.poll(begun).toBe(1);
    await channels.send(name, ["here"]);
    await expect.poll(() => heard).toEqual(["here"]);
    leave();
  });

  test("leave no connection behind when the last listener leaves and the next comes while one is made", async () => {
    const pool = poolOf(5);
    const connecting = async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return pool.connect();
    };
    const slow = { query: pool.query.bind(pool), connect: connecting, on: pool.on.bind(pool), options: pool.options };
    const channels = new Channels(slow);
    for (let times = 0; times < 8; times += 1) {
      const { leave } = hearing(channels, "one");
      await new Promise((resolve) => setTimeout(resolve, 5 * times));
      leave();
      const next = hearing(channels, "two");
      await expect.poll(next.begun).toBe(1);
      expect(pool.totalCount - pool.idleCount).toBe(1);
      next.leave();
    }
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(pool.totalCount - pool.idleCount).toBe(0);
  });

  test("are heard and left in one statement after the other, as the next version of the driver wants it", async () => {
    const warned: string[] = [];
    const hearWarning = (warning: Error): void => void warned.push(warning.message);
    process.on("warning", hearWarning);
    const channels = new Channels(poolOf(5));
    const all = ["one", "two", "three", "four"].map((name) => hearing(channels, name));
    await expect.poll(() => all.map(({ begun }) => begun())).toEqual([1, 1, 1, 1]);
    for (const { leave } of all.slice(1)) leave();
    const again = hearing(channels, "two");
    await expect.poll(again.begun).toBe(1);
    again.leave();
    all[0]!.leave();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("warning", hearWarning);
    expect(warned).toEqual([]);
  });

  test("of several stores over one pool share a connection, and each gives back what it heard", async () => {
    const pool = poolOf(3);
    const schemas = [await database.schema(), await database.schema(), await database.schema()];
    const stores = [...schemas, schemas[0]!].map((schema) => pgStore(pool, { schema }));
    const stop = new AbortController();
    const hints = stores.map((store) => store.changes!("s", stop.signal));
    for (const hint of hints) await hint.next();
    // The hint of the begun connection, and then one of an append by another process.
    await Promise.all(hints.map((hint) => hint.next()));
    expect(pool.totalCount - pool.idleCount).toBe(1);
    const writer = pgStore(database.pool, { schema: schemas[0]! });
    const lock = await writer.lock("s", { id: "h", host: "elsewhere", pid: 1 });
    const began = performance.now();
    if ("append" in lock) await lock.append(["one"], true);
    await Promise.all([hints[0]!.next(), hints[3]!.next()]);
    expect(performance.now() - began).toBeLessThan(1000);
    for (const store of stores) await store[Symbol.asyncDispose]();
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
    stop.abort();
  });

  test.each([1, 2])("leave a pool of %i to runs, limits and followers, which look by the clock", async (max) => {
    const schema = await database.schema();
    const store = pgStore(poolOf(max), { schema });
    const stop = new AbortController();
    const hints = store.changes!("s", stop.signal);
    store.live!.hear("s", () => undefined, stop.signal);
    await hints.next();
    const lock = await store.lock("s", { id: "h", host: "elsewhere", pid: 1 });
    if ("append" in lock) await lock.append(["one"], true);
    await hints.next();
    const limits = store.limits({ name: "b", maxTokens: 100 });
    const asked = { iterations: 1, tokens: 10, cost: 0 };
    const answers = await Promise.all([1, 2, 3, 4].map(async () => limits.reserve(asked)));
    expect(answers.every((answer) => "settle" in answer)).toBe(true);
    expect(await store.read("s")).toEqual(["one"]);
    const other = await pgStore(database.pool, { schema }).lock("s", { id: "i", host: "elsewhere", pid: 2 });
    expect(other).toMatchObject({ id: "h" });
    stop.abort();
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
