// The tables of the store: made once, by any number of workers, and told of where they are missing.

import pg from "pg";
import { describe, expect, test } from "vitest";
import { migrate, pgStore } from "../../src/postgres/index.js";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";

describe.skipIf(noPostgres)(`tables${noPostgres}`, () => {
  const database = useDatabase();

  test("are made once, although twelve workers begin at the same time", async () => {
    const made = await Promise.all(Array.from({ length: 12 }, () => migrate(database.pool, { schema: "shared" })));
    expect(made.filter(({ from }) => from === 0)).toHaveLength(1);
    expect(new Set(made.map(({ to }) => to))).toEqual(new Set([4]));
    expect(await migrate(database.pool, { schema: "shared" })).toEqual({ from: 4, to: 4 });
  });

  test("that are missing are told of, with what to run, and are there for the next statement", async () => {
    const store = pgStore(database.pool, { schema: "later" });
    const missing = /schema later of Postgres has no tables of lastcall: call migrate\(pool\), or run lastcall store/;
    await expect(store.list()).rejects.toThrow(missing);
    await expect(store.read("a")).rejects.toMatchObject({ code: "configuration" });
    await migrate(database.pool, { schema: "later" });
    expect(await store.list()).toEqual([]);
  });

  test("of a later version are left as they are", async () => {
    const schema = await database.schema();
    await database.pool.query(`INSERT INTO ${schema}.versions VALUES (7, now())`);
    const later = /has tables of version 7, and this lastcall knows 4: use a later one/;
    await expect(migrate(database.pool, { schema })).rejects.toThrow(later);
    await expect(pgStore(database.pool, { schema }).list()).rejects.toThrow(later);
  });

  test("of the second version get the states that their logs tell", async () => {
    const schema = await database.schema();
    const ends = (status: string, reason = "") => `{"type":"outcome","status":"${status}"${reason},"seq":1}`;
    const went = ['{"type":"input"}', ends("waiting"), '{"type":"approval"}', '{"type":"result","text":"long"}'];
    const logs: Record<string, readonly [was: string | null, lines: readonly string[], is: string | null]> = {
      approved: ["waiting", went, "open"],
      answered: ["waiting", [ends("waiting"), '{"type":"answer"}'], "open"],
      broken: ["failed", ['{"type":"input"}', ends("failed", ',"reason":"store"')], "open"],
      failed: ["failed", ['{"type":"input"}', ends("failed", ',"reason":"model"')], "failed"],
      cut: ["completed", ['{"type":"input"}', '{"type":"reply"}'], "open"],
      completed: ["completed", [...went, ends("completed")], "completed"],
      waits: ["waiting", ['{"type":"input"}', ends("waiting")], "waiting"],
      empty: [null, ['{"lastcall":"session"}'], null],
    };
    for (const [id, [state, lines]] of Object.entries(logs)) {
      await database.pool.query(
        `INSERT INTO ${schema}.sessions (session, lines, written, state, since) VALUES ($1, $2, now(), $3, 'epoch')`,
        [id, lines.length, state],
      );
      const rows = `SELECT $1, number - 1, line FROM unnest($2::text[]) WITH ORDINALITY AS given (line, number)`;
      await database.pool.query(`INSERT INTO ${schema}.lines (session, number, line) ${rows}`, [id, lines]);
    }
    await database.pool.query(`DELETE FROM ${schema}.versions WHERE version > 2; DROP TABLE ${schema}.vault`);
    expect(await migrate(database.pool, { schema })).toEqual({ from: 2, to: 4 });
    const { rows } = await database.pool.query<{ session: string; state: string | null; changed: boolean }>(
      `SELECT session, state, since > 'epoch' AS changed FROM ${schema}.sessions`,
    );
    const found = Object.fromEntries(rows.map(({ session, state, changed }) => [session, [state, changed]]));
    const told = Object.entries(logs).map(([id, [was, , is]]) => [id, [is, was !== is]]);
    expect(found).toEqual(Object.fromEntries(told));
  });

  test("are not half there when a step fails", async () => {
    const schema = "refused";
    await database.pool.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.inbox (mine int)`);
    await expect(migrate(database.pool, { schema })).rejects.toThrow(/Could not make the tables in .*already exists/);
    const { rows } = await database.pool.query("SELECT tablename FROM pg_tables WHERE schemaname = $1", [schema]);
    expect(rows).toEqual([{ tablename: "inbox" }]);
  });

  test("can be divided into partitions by session", async () => {
    const schema = await database.schema();
    await database.pool.query(`
      DROP TABLE ${schema}.lines;
      CREATE TABLE ${schema}.lines (session text COLLATE "C" NOT NULL, number bigint NOT NULL, line text NOT NULL,
        PRIMARY KEY (session, number)) PARTITION BY HASH (session);
      CREATE TABLE ${schema}.lines_0 PARTITION OF ${schema}.lines FOR VALUES WITH (MODULUS 2, REMAINDER 0);
      CREATE TABLE ${schema}.lines_1 PARTITION OF ${schema}.lines FOR VALUES WITH (MODULUS 2, REMAINDER 1);`);
    const store = pgStore(database.pool, { schema });
    for (const id of "a b c d e f g h i j k l".split(" ")) {
      const lock = await store.lock(id, { id: "h", host: "elsewhere", pid: 1 });
      if ("append" in lock) await lock.append([id, "two"], true);
    }
    expect(await store.read("c")).toEqual(["c", "two"]);
    const { rows } = await database.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${schema}.lines_0`,
    );
    expect(rows[0]!.count).toBeGreaterThan(0);
    expect(rows[0]!.count).toBeLessThan(24);
  });

  test("need a plain name of a schema", async () => {
    for (const schema of ["", "A", "a;drop", "1a", "a".repeat(64)]) {
      const refused = expect.objectContaining({ code: "configuration" }) as unknown;
      expect(() => pgStore(database.pool, { schema })).toThrow(refused);
      await expect(migrate(database.pool, { schema })).rejects.toEqual(refused);
    }
  });

  test("of a server that can't be reached are told of after a while, and a broken idle connection ends nothing", async () => {
    const pool = new pg.Pool({ connectionString: database.server.url });
    const store = pgStore(pool, { schema: await database.schema() });
    expect(await store.list()).toEqual([]);
    await database.server.restart();
    expect(await store.list()).toEqual([]);
    await pool.end();
  });
});
