// Connections that the layer takes from the pool of its caller.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { inTransaction } from "../../src/postgres/pool.js";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";

describe.skipIf(noPostgres)(`a transaction${noPostgres}`, () => {
  const database = useDatabase();

  test("fails, and does not end the process, if its connection breaks between two statements", async () => {
    const { pool } = database;
    await pool.query("CREATE TABLE notes (text text)");
    const broken = inTransaction(pool, async (client) => {
      await client.query("INSERT INTO notes VALUES ('lost')");
      const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
      await pool.query("SELECT pg_terminate_backend($1)", [rows[0]!["pid"]]);
      // An error that nobody hears would be thrown here.
      await sleep(100);
      await client.query("SELECT 1");
    });
    await expect(broken).rejects.toThrow(/not queryable|terminat/);
    expect((await pool.query("SELECT * FROM notes")).rows).toEqual([]);
  });

  test("leaves one listener on a connection, however often it is used", async () => {
    const { pool } = database;
    const counts: number[] = [];
    for (let times = 0; times < 20; times += 1)
      await inTransaction(pool, async (client) => {
        await client.query("SELECT 1");
        counts.push((client as unknown as NodeJS.EventEmitter).listenerCount("error"));
      });
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  });
});
