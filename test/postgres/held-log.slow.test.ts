// A log that is held: the state in the row of its session, which its lines decide, and the lines that a crash of the server may take.

import { describe, expect, test } from "vitest";
import type { Lock, Store } from "../../src/memory/index.js";
import { runBoundaries } from "../../src/core/internal.js";
import { stateAfter } from "../../src/postgres/held-log.js";
import { pgStore } from "../../src/postgres/index.js";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";

test.each([
  [["{}"], undefined],
  [['{"type":"input","text":"x"}'], "open"],
  [['{"type":"resume"}'], "open"],
  [['{"type":"approval","allowed":true}'], "open"],
  [['{"type":"answer","value":"yes"}'], "open"],
  [['{"seq":1,"type":"answer","value":"yes"}'], "open"],
  [['{"type":"outcome","status":"waiting"}'], "waiting"],
  [['{"type":"outcome","status":"waiting"}', '{"type":"approval"}'], "open"],
  [['{"type":"input"}', '{"type":"outcome","status":"failed"}'], "failed"],
  [['{"type":"outcome","status":"failed","reason":"store"}'], "open"],
  [['{"type":"outcome","status":"failed"}', '{"type":"input"}', '{"type":"reply"}'], "open"],
  [['{"type":"result","text":"{\\"type\\":\\"outcome\\"}","also":{"type":"outcome","status":"waiting"}}'], undefined],
  [['no JSON "type":"outcome"'], undefined],
  [[], undefined],
])("the state after %j is %s", (lines, state) => {
  expect(stateAfter(lines)).toBe(state);
});

const header = '{"lastcall":"session"}';
const input = '{"type":"input"}';
const waits = '{"type":"outcome","status":"waiting"}';

async function taken(store: Store, id: string): Promise<Lock> {
  const lock = await store.lock(id, { id: crypto.randomUUID(), host: "elsewhere", pid: 1 });
  if (!("append" in lock)) throw new Error("the lock is held");
  return lock;
}

describe.skipIf(noPostgres)(`the state of a row${noPostgres}`, () => {
  const database = useDatabase();

  test.each([...runBoundaries].filter((type) => type !== "outcome" && type !== "fork"))(
    "is open after a record %s, for all who look for runs to go on with",
    async (type) => {
      const store = await database.store();
      const lock = await taken(store, "s");
      await lock.append([header, input, waits], true);
      expect([await store.unfinished?.(), await store.counts()]).toMatchObject([[], { waiting: 1, held: 0 }]);
      await lock.append([`{"type":"${type}"}`], true);
      expect(await store.sessionsIn("open")).toMatchObject([{ id: "s" }]);
      expect([await store.unfinished?.(), await store.counts()]).toMatchObject([["s"], { waiting: 0, held: 1 }]);
      await lock.release();
      expect(await store.counts()).toMatchObject({ waiting: 0, held: 0, leftAlone: 1 });
    },
  );

  test("is the same for a fork in the midst of a run as for a run that was aborted", async () => {
    const store = await database.store();
    const lock = await taken(store, "s");
    await lock.append([header, input, '{"type":"fork","from":"t@1"}'], true);
    await lock.release();
    expect(await store.unfinished?.()).toEqual([]);
    expect(await store.sessionsIn("aborted")).toMatchObject([{ id: "s" }]);
  });

  test("is read anew from what a cut leaves", async () => {
    const schema = await database.schema();
    const store = pgStore(database.pool, { schema });
    const lock = await taken(store, "s");
    await lock.append([header, input, '{"type":"reply"}', waits, '{"type":"approval"}', '{"type":"result"}'], true);
    const row = async () => {
      const statement = `SELECT state, since IS NOT NULL AS timed FROM ${schema}.sessions`;
      return (await database.pool.query<{ state: string | null; timed: boolean }>(statement)).rows[0];
    };
    const seen = [await row()];
    for (const lines of [5, 4, 3, 1]) {
      await lock.cut(lines);
      seen.push(await row());
    }
    const open = { state: "open", timed: true };
    const none = { state: null, timed: false };
    expect(seen).toEqual([open, open, { state: "waiting", timed: true }, open, none]);
    expect(await store.unfinished?.()).toEqual([]);
  });

  test("of a worker of an earlier version is not trusted: it went on after an approval without a word in the row", async () => {
    const schema = await database.schema();
    const store = pgStore(database.pool, { schema });
    for (const id of ["went on", "waits"]) {
      const lock = await taken(store, id);
      await lock.append([header, input, waits], true);
      await lock.release();
    }
    const later = "written = written + interval '1 s', lines = lines + 1";
    await database.pool.query(`UPDATE ${schema}.sessions SET ${later} WHERE session = 'went on'`);
    expect(await store.unfinished?.()).toEqual(["went on"]);
  });
});

describe.skipIf(noPostgres)(`a log${noPostgres}`, () => {
  // The writer of the log would flush by itself every 200 ms.
  const database = useDatabase({ wal_writer_delay: "10s", autovacuum: "off" });

  test("lines that a crash of the server took, since they were not flushed, are stored again with the next ones", async () => {
    const store = await database.store();
    const lock = await taken(store, "a");
    await lock.append(["one"], true);
    await lock.append(["two"], false);
    await lock.append(["three", "four"], false);
    await database.server.restart();
    expect(await store.read("a")).toEqual(["one"]);
    await lock.append(["five"], true);
    expect(await store.read("a")).toEqual(["one", "two", "three", "four", "five"]);
    await lock.append(["six"], true);
    expect((await store.read("a"))?.slice(4)).toEqual(["five", "six"]);
  });
});
