// Sessions in Postgres: real runs, what waits, and those who follow.

import pg from "pg";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../src/index.js";
import { hostInProcess } from "../../src/host/index.js";
import { followSession, openSession } from "../../src/memory/index.js";
import { pgStore } from "../../src/postgres/index.js";
import { assertWellFormed, call, scriptedModel } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";

const note = tool({
  name: "note",
  description: "Notes a number",
  input: z.object({ n: z.number() }),
  effect: "none",
  run: ({ n }) => `noted ${String(n)}`,
});

/** An agent that notes a number, asks, and completes. */
const asking = () =>
  createAgent({
    model: scriptedModel([
      [call("note", { n: 1 })],
      [call("ask_question", { question: "Go on?" })],
      [call("task_completion", { result: "Done." })],
    ]),
    tools: [note, askQuestion(), taskCompletion()],
  });

describe.skipIf(noPostgres)(`sessions in Postgres${noPostgres}`, () => {
  const database = useDatabase();

  test("a run that asks is gone on with over another pool, and each state can be found", async () => {
    const schema = await database.schema();
    const store = pgStore(database.pool, { schema });
    const agent = asking();
    const first = await agent.run("Go.", { session: openSession({ store, id: "s" }) });
    expect(first).toMatchObject({ status: "waiting" });
    expect(await store.sessionsIn("waiting")).toEqual([{ id: "s", since: expect.any(Number) }]);
    const again = pgStore(database.pool, { schema });
    const second = await agent.run("Yes.", { session: openSession({ store: again, id: "s" }) });
    expect(second).toMatchObject({ status: "completed", value: { result: "Done." } });
    expect(await store.sessionsIn("waiting")).toEqual([]);
    expect(await store.sessionsIn("completed")).toHaveLength(1);
    const { records } = await openSession({ store, id: "s" }).toJSON();
    assertWellFormed(records);
  });

  test("the sessions that somebody may have to go on with are those without an outcome, and those with messages", async () => {
    const store = await database.store();
    for (const id of ["waits", "has words", "open"]) await asking().run("Go.", { session: openSession({ store, id }) });
    await openSession({ store, id: "has words" }).send({ text: "And this." });
    const open = await openSession({ store, id: "open" }).lease();
    await open?.append({ seq: 99, at: 1, type: "resume" });
    await open?.release();
    await store.send("only words", { id: "m", text: "{}" });
    expect([...((await store.unfinished?.()) ?? [])].sort()).toEqual(["has words", "only words", "open"]);
    const left: (readonly string[])[] = [];
    await hostInProcess({
      agents: { worker: asking() },
      store: { ...store, list: () => Promise.reject(new Error("all")) },
      onLeft: (sessions) => void left.push(sessions),
    });
    expect(left).toEqual([[]]);
  });

  test("the longest wait comes first, and no more than the limit", async () => {
    const store = await database.store();
    for (const id of ["one", "two", "three"]) await asking().run("Go.", { session: openSession({ store, id }) });
    const waiting = await store.sessionsIn("waiting", { limit: 2 });
    expect(waiting.map(({ id }) => id)).toEqual(["one", "two"]);
    expect(waiting[0]!.since).toBeLessThan(waiting[1]!.since);
  });

  test("a list of the sessions that were used last reads these alone", async () => {
    const schema = await database.schema();
    await database.pool.query(
      `INSERT INTO ${schema}.sessions (session, lines, written, state, since) SELECT 's' || n, 1, now() - n * interval '1 s',
        CASE WHEN n % 500 = 1 THEN 'open' ELSE 'completed' END,
        now() - n * (CASE WHEN n % 500 = 1 THEN interval '1 day' ELSE interval '1 s' END) FROM generate_series(1, 20000) AS n`,
    );
    await database.pool.query(`ANALYZE ${schema}.sessions`);
    const store = pgStore(database.pool, { schema });
    const all = (await store.list()).toSorted((one, other) => other.updated - one.updated);
    expect(all).toHaveLength(20_000);
    const scans = async () => {
      await database.pool.query("SELECT pg_stat_force_next_flush()");
      const { rows } = await database.pool.query<{ count: number }>(
        "SELECT seq_scan::int AS count FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'sessions'",
        [schema],
      );
      return rows[0]!.count;
    };
    const before = await scans();
    expect(await store.list({ most: 600 })).toEqual(all.slice(0, 600));
    expect(await scans()).toBe(before);
  });

  test("a follower sees every record, although its connection is ended by the server", async () => {
    const schema = await database.schema();
    const [reader, writer] = [pgStore(database.pool, { schema }), pgStore(database.pool, { schema })];
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      for await (const records of followSession({ store: reader, id: "s", signal: stop.signal })) {
        seen.push(...records.map(({ type }) => type));
        if (seen.at(-1) === "outcome" && seen.filter((type) => type === "outcome").length === 2) return;
      }
    })();
    const agent = asking();
    await agent.run("Go.", { session: openSession({ store: writer, id: "s" }) });
    const listening = `SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN lastcall_${schema}'`;
    await expect.poll(async () => (await database.pool.query(listening)).rowCount).toBe(1);
    await database.pool.query(`SELECT pg_terminate_backend(pid) FROM (${listening}) AS them`);
    await agent.run("Yes.", { session: openSession({ store: writer, id: "s" }) });
    await following;
    const { records } = await openSession({ store: reader, id: "s" }).toJSON();
    expect(seen).toEqual(records.map(({ type }) => type));
    await expect.poll(async () => (await database.pool.query(listening)).rowCount).toBe(0);
  });

  test("a server that only reads for a moment, as a standby that takes over, delays a run and its budget", async () => {
    const schema = await database.schema();
    const pool = new pg.Pool({ connectionString: database.server.url, max: 3 });
    const store = pgStore(pool, { schema });
    const setting = "ALTER DATABASE postgres SET default_transaction_read_only";
    await database.pool.query(`${setting} = on`);
    const run = asking().run("Go.", {
      session: openSession({ store, id: "s" }),
      budget: store.limits({ name: "b", maxTokens: 1_000_000 }),
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await store.list()).toEqual([]);
    const writing = await database.pool.connect();
    await writing.query("BEGIN READ WRITE");
    await writing.query(`${setting} = off`);
    await writing.query("COMMIT");
    writing.release();
    expect(await run).toMatchObject({ status: "waiting" });
    await pool.end();
  });

  test("connections that the server ends since they were idle delay nothing", async () => {
    const schema = await database.schema();
    const options = "-c idle_session_timeout=40 -c idle_in_transaction_session_timeout=20";
    const pool = new pg.Pool({ connectionString: database.server.url, max: 3, options });
    const store = pgStore(pool, { schema });
    const lock = await store.lock("s", { id: "h", host: "elsewhere", pid: 1 });
    if (!("append" in lock)) throw new Error("the lock is held");
    const lines = Array.from({ length: 30 }, (_none, index) => String(index));
    for (const line of lines) {
      await lock.append([line], true);
      await new Promise((resolve) => setTimeout(resolve, 30 + Math.random() * 20));
    }
    expect(await store.read("s")).toEqual(lines);
    await pool.end();
  });

  test("another process hears of an append within a fraction of the time between two looks", async () => {
    const schema = await database.schema();
    const [reader, writer] = [pgStore(database.pool, { schema }), pgStore(database.pool, { schema })];
    const stop = new AbortController();
    const hints = reader.changes!("s", stop.signal);
    await hints.next();
    const listening = `SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN lastcall_${schema}'`;
    await expect.poll(async () => (await database.pool.query(listening)).rowCount).toBe(1);
    // The hint of the begun connection.
    await hints.next();
    const lock = await writer.lock("s", { id: "h", host: "elsewhere", pid: 1 });
    const began = performance.now();
    if ("append" in lock) await lock.append(["one"], true);
    await hints.next();
    expect(performance.now() - began).toBeLessThan(1000);
    stop.abort();
    await hints.next();
  });
});
