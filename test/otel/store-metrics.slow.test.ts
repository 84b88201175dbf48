// Metrics of stores over the real SDK: appends, failures, locks of processes that were killed, and what waits in a real Postgres.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { describe, expect, it, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { fileStore, memoryStore, openSession, type Holder, type Lock, type Store } from "../../src/memory/index.js";
import { storeMetrics } from "../../src/otel/index.js";
import { pgStore } from "../../src/postgres/index.js";
import { call, scriptedModel, storeConformance } from "../../src/testing/index.js";
import { askQuestion } from "../../src/tools/index.js";
import { useDatabase } from "../postgres/database.js";
import { noPostgres } from "../postgres/server.js";
import { temporaryFolder } from "../memory/store-places.js";
import { keepMetrics } from "./tracing.js";
import "../dist.js";

const elsewhere = (): Holder => ({ id: crypto.randomUUID(), host: "elsewhere", pid: 1 });

async function taken(store: Store, id = "a"): Promise<Lock> {
  const lock = await store.lock(id, elsewhere());
  if (!("append" in lock)) throw new Error("the lock is held");
  return lock;
}

test("appends are timed by whether they were flushed, and failures have their type", async () => {
  const { meter, points } = keepMetrics();
  const store = await storeMetrics(memoryStore(), { meter });
  const lock = await taken(store);
  await lock.append(["one"], true);
  await lock.append(["two"], false);
  await lock.append(["three"], false);
  await lock.release();
  await expect(lock.append(["late"], true)).rejects.toThrow();
  await expect(store.read("")).rejects.toThrow();
  const found = await points();
  const appends = found.filter(({ name }) => name === "lastcall.store.append.duration");
  expect(appends.map(({ unit }) => unit)).toEqual(["s", "s", "s"]);
  expect(appends.map(({ value, attributes }) => [(value as { readonly count: number }).count, attributes])).toEqual([
    [1, { "lastcall.store.flush": true }],
    [2, { "lastcall.store.flush": false }],
    [1, { "lastcall.store.flush": true, "error.type": "store" }],
  ]);
  const failures = found.filter(({ name }) => name === "lastcall.store.failures");
  expect(failures.map(({ value, attributes }) => [value, attributes])).toEqual([
    [1, { "lastcall.store.operation": "append", "error.type": "store" }],
    [1, { "lastcall.store.operation": "read", "error.type": expect.any(String) as unknown }],
  ]);
});

test("a lock whose holder fell silent is a take-over, and one that was released is none", async () => {
  const { meter, points } = keepMetrics();
  let ahead = 0;
  const store = await storeMetrics(
    memoryStore(() => Date.now() + ahead),
    { meter },
  );
  await (await taken(store)).release();
  await taken(store);
  ahead = 31_000;
  await taken(store);
  const found = (await points()).filter(({ name }) => name === "lastcall.store.takeovers");
  expect(found.map(({ value, unit }) => [value, unit])).toEqual([[1, "{takeover}"]]);
});

describe("a store with metrics is still a store", () => {
  const cases = storeConformance(async ({ now }) => {
    const folder = await temporaryFolder();
    const { meter } = keepMetrics();
    return {
      open: () => storeMetrics(fileStore(join(folder.path, "sessions"), now), { meter }),
      [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
    };
  });
  it.each(cases)("$name", ({ run }) => run());
});

describe.skipIf(noPostgres)(`metrics of a store in Postgres${noPostgres}`, () => {
  const database = useDatabase();

  test("tell of a holder that was killed, of what waits and is left alone, and of words that no run took", async () => {
    const { meter, points } = keepMetrics();
    const schema = await database.schema();
    const store = await storeMetrics(pgStore(database.pool, { schema }), { meter });
    const agent = createAgent({
      model: scriptedModel([[call("ask_question", { question: "Go on?" })]]),
      tools: [askQuestion()],
    });
    await agent.run("Go.", { session: openSession({ store, id: "waits" }) });
    await store.send("words", { id: "m", text: "{}" });

    const file = resolve(import.meta.dirname, "store-holder.mjs");
    const holders = ["killed", "killed too", "at work"].map((id) => {
      const child = spawn(process.execPath, [file, database.server.url, schema, id], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      return child;
    });
    await Promise.all(holders.map((child) => once(child.stdout, "data")));
    const [first, second, third] = holders;
    for (const child of [first, second]) {
      child?.kill("SIGKILL");
      if (child !== undefined) await once(child, "exit");
    }
    await database.pool.query(
      `UPDATE ${schema}.sessions SET renewed = renewed - interval '1 minute' WHERE session = 'killed too'`,
    );
    await database.pool.query(`UPDATE ${schema}.inbox SET sent = sent - interval '1 minute'`);
    // The process is known to be gone, so its lock is taken at once.
    const lock = await store.lock("killed", elsewhere());
    expect(lock).toMatchObject({ takenFrom: { pid: first?.pid } });

    const found = await points();
    third?.kill("SIGKILL");
    const of = (name: string) => found.filter((point) => point.name === name).map(({ value }) => value);
    expect(of("lastcall.store.takeovers")).toEqual([1]);
    const states = found.filter(({ name }) => name === "lastcall.store.sessions");
    expect(states.map(({ value, attributes }) => [attributes["lastcall.session.state"], value])).toEqual([
      ["waiting", 1],
      ["held", 2],
      ["left_alone", 1],
    ]);
    expect(of("lastcall.store.sessions_with_messages")).toEqual([1]);
    const [oldest] = of("lastcall.store.oldest_message") as number[];
    expect(oldest).toBeGreaterThanOrEqual(60);
    expect(oldest).toBeLessThan(120);
    const [wait] = of("lastcall.store.oldest_wait") as number[];
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThan(60);
  });

  test("read the counts once in a collection, and not after the store was disposed of", async () => {
    const { meter, points } = keepMetrics();
    const plain = await database.store();
    let reads = 0;
    const counting = {
      ...plain,
      counts: () => {
        reads += 1;
        return plain.counts();
      },
    };
    await storeMetrics(counting, { meter });
    const gone = await storeMetrics(counting, { meter });
    await gone[Symbol.asyncDispose]();
    expect(reads).toBe(0);
    // The provider collects once more as it shuts down.
    await points();
    expect(reads).toBe(2);
  });

  test("count from the indexes", async () => {
    const schema = await database.schema();
    await database.pool.query(
      `INSERT INTO ${schema}.sessions (session, lines, written, state, since) SELECT 's' || n, 1, now(),
        CASE WHEN n % 100 = 0 THEN 'waiting' WHEN n % 100 = 1 THEN 'open' ELSE 'completed' END, now()
        FROM generate_series(1, 20000) AS n`,
    );
    await database.pool.query(`VACUUM ANALYZE ${schema}.sessions`);
    const scans = async () => {
      await database.pool.query("SELECT pg_stat_force_next_flush()");
      const { rows } = await database.pool.query<{ count: number }>(
        "SELECT seq_scan::int AS count FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'sessions'",
        [schema],
      );
      return rows[0]!.count;
    };
    const before = await scans();
    const counts = await pgStore(database.pool, { schema }).counts();
    expect(counts).toMatchObject({ waiting: 200, held: 0, leftAlone: 200, withMessages: 0, oldestMessage: 0 });
    expect(await scans()).toBe(before);
  });
});
