// Locks in Postgres: an append and the check of its lock are one, whatever happens between them and the answer.

import pg from "pg";
import { describe, expect, test } from "vitest";
import type { Holder, Lock, Store } from "../../src/memory/index.js";
import { pgStore, type PgPool } from "../../src/postgres/index.js";
import { useDatabase } from "./database.js";
import { poolAhead } from "./pool-ahead.mjs";
import { noPostgres } from "./server.js";

const elsewhere = (): Holder => ({ id: crypto.randomUUID(), host: "elsewhere", pid: 1 });

async function taken(store: Store, id = "a"): Promise<Lock> {
  const lock = await store.lock(id, elsewhere());
  if (!("append" in lock)) throw new Error("the lock is held");
  return lock;
}

describe.skipIf(noPostgres)(`locks${noPostgres}`, () => {
  // The writer of the log would flush by itself every 200 ms.
  const database = useDatabase({ wal_writer_delay: "10s", autovacuum: "off" });

  /** A pool whose answers to some statements are lost after they were carried out. */
  function losing(isLost: (statement: string) => boolean): PgPool {
    const { pool } = database;
    return {
      connect: () => pool.connect(),
      on: (event, listener) => pool.on(event, listener),
      query: async (statement, values) => {
        const result = await pool.query(statement, values);
        if (isLost(statement)) throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
        return result;
      },
    };
  }

  test("an append whose answer is lost is stored once, and the next one goes behind it", async () => {
    const schema = await database.schema();
    let losses = 0;
    const store = pgStore(
      losing((statement) => statement.includes("WITH ORDINALITY") && (losses += 1) % 2 === 1),
      { schema },
    );
    const lock = await taken(store);
    await lock.append(["one", "two"], true);
    await lock.append(["three"], true);
    await lock.append(["four"], false);
    expect(losses).toBeGreaterThan(3);
    expect(await store.read("a")).toEqual(["one", "two", "three", "four"]);
  });

  test("a take whose answer is lost is one of the same holder", async () => {
    const schema = await database.schema();
    let losses = 0;
    const store = pgStore(
      losing((statement) => statement.includes("ON CONFLICT (session)") && (losses += 1) === 1),
      { schema },
    );
    await (await taken(store)).append(["mine"], true);
    expect(losses).toBe(2);
    expect(await store.read("a")).toEqual(["mine"]);
  });

  test("a holder that takes its lock again has it from nobody, and the next holder has it from this one", async () => {
    let ahead = 0;
    const schema = await database.schema();
    const store = pgStore(
      poolAhead(database.pool, () => ahead),
      { schema },
    );
    const holder = elsewhere();
    expect(await store.lock("a", holder)).not.toHaveProperty("takenFrom");
    expect(await store.lock("a", holder)).not.toHaveProperty("takenFrom");
    ahead = 31_000;
    expect(await store.lock("a", elsewhere())).toMatchObject({ takenFrom: holder });
  });

  test("after an append of which nobody knows whether it was stored, the lock writes nothing more", async () => {
    const schema = await database.schema();
    let isBroken = false;
    const store = pgStore(
      {
        connect: () => database.pool.connect(),
        on: (event, listener) => database.pool.on(event, listener),
        query: async (statement, values) => {
          if (isBroken && statement.includes("WITH ORDINALITY")) throw new Error("something else");
          return database.pool.query(statement, values);
        },
      },
      { schema },
    );
    const lock = await taken(store);
    await lock.append(["one"], true);
    isBroken = true;
    await expect(lock.append(["two"], true)).rejects.toThrow("Could not append to the session a in");
    isBroken = false;
    await expect(lock.append(["three"], true)).rejects.toThrow(
      /^Nothing more is written to the session a in the schema \w+ of Postgres, because .*something else/,
    );
    expect(await store.read("a")).toEqual(["one"]);
  });

  test("a take-over waits for an append in progress, and then reads its lines", async () => {
    const schema = await database.schema();
    const client = await database.pool.connect();
    const held = pgStore(
      { ...losing(() => false), query: (statement, values) => client.query(statement, values) },
      { schema },
    );
    const lock = await taken(held);
    await lock.append(["one"], true);
    await client.query("BEGIN");
    await lock.append(["two"], true);
    let ahead = 0;
    const other = pgStore(
      poolAhead(database.pool, () => ahead),
      { schema },
    );
    ahead = 31_000;
    let isOver = false;
    const takeOver = taken(other).finally(() => (isOver = true));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(isOver).toBe(false);
    await client.query("COMMIT");
    const next = await takeOver;
    expect(await other.read("a")).toEqual(["one", "two"]);
    await expect(lock.append(["late"], true)).rejects.toThrow("taken over");
    await next.append(["three"], true);
    expect(await other.read("a")).toEqual(["one", "two", "three"]);
    client.release();
  });

  test("a lock that its holder renews between the look at it and the take is not taken over", async () => {
    const schema = await database.schema();
    const holder = elsewhere();
    const lock = await pgStore(database.pool, { schema }).lock("a", holder);
    if (!("append" in lock)) throw new Error("the lock is held");
    await lock.append(["one"], true);
    let ahead = 31_000;
    let renewals = 0;
    const other = pgStore(
      poolAhead(
        {
          ...losing(() => false),
          query: async (statement, values) => {
            if (statement.includes("ON CONFLICT (session)")) {
              // The holder had slept, as its machine had: it wakes up now.
              ahead = 0;
              renewals += 1;
              expect(await lock.renew()).toBe(true);
            }
            return database.pool.query(statement, values);
          },
        },
        () => ahead,
      ),
      { schema },
    );
    expect(await other.lock("a", elsewhere())).toMatchObject({ id: holder.id });
    expect(renewals).toBe(1);
    await lock.append(["two"], true);
    expect(await other.read("a")).toEqual(["one", "two"]);
  });

  test("a log that another program has changed is written no further", async () => {
    const schema = await database.schema();
    const store = pgStore(database.pool, { schema });
    const lock = await taken(store);
    await lock.append(["one"], true);
    await database.pool.query(`UPDATE ${schema}.sessions SET lines = 5`);
    await expect(lock.append(["two"], true)).rejects.toThrow(
      /another program has changed its log: it has 5 lines, and had 1/,
    );
    expect(await store.read("a")).toEqual(["one"]);
  });

  test("a crash of the server between two appends loses nothing that was flushed", async () => {
    const store = await database.store();
    const lock = await taken(store);
    await lock.append(["one"], true);
    await database.server.restart();
    await lock.append(["two"], true);
    expect(await lock.renew()).toBe(true);
    expect(await store.read("a")).toEqual(["one", "two"]);
  });

  test("only what must survive a loss of power waits for the disk", async () => {
    const store = await database.store();
    const lock = await taken(store);
    const places = async () => {
      const { rows } = await database.pool.query<{ written: string; flushed: string }>(
        "SELECT pg_current_wal_insert_lsn() - '0/0' AS written, pg_current_wal_flush_lsn() - '0/0' AS flushed",
      );
      return { written: BigInt(rows[0]!.written), flushed: BigInt(rows[0]!.flushed) };
    };
    for (let count = 0; count < 5; count += 1) {
      const before = await places();
      await lock.append(["not flushed"], false);
      const between = await places();
      expect(between.flushed).toBeLessThanOrEqual(before.written);
      expect(between.written).toBeGreaterThan(between.flushed);
      await lock.append(["flushed"], true);
      expect((await places()).flushed).toBeGreaterThan(between.written);
    }
  });

  test("an append changes the row of its session in place, so that no index grows with the run", async () => {
    const schema = await database.schema();
    const pool = new pg.Pool({ connectionString: database.server.url, max: 1 });
    const lock = await taken(pgStore(pool, { schema }));
    for (let count = 0; count < 200; count += 1) await lock.append([String(count)], false);
    await pool.query("SELECT pg_stat_force_next_flush()");
    const { rows } = await pool.query<{ all: number; hot: number }>(
      "SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'sessions'",
      [schema],
    );
    await pool.end();
    expect(rows[0]!.all).toBeGreaterThanOrEqual(200);
    expect(rows[0]!.hot).toBeGreaterThan(rows[0]!.all * 0.9);
  });
});
