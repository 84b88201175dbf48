// The rows by which processes on a queue tell that they live, and by which dead ones are found.

import { describe, expect, test } from "vitest";
import { migrate, WorkerRows } from "../../src/dbos/worker-rows.js";
import { useDatabase } from "../postgres/database.js";
import { noPostgres } from "../postgres/server.js";

describe.skipIf(noPostgres)(`rows of workers${noPostgres}`, () => {
  const database = useDatabase();

  test("a dead process is buried by one of two that look, and the other does not wait for it", async () => {
    await migrate(database.pool, () => Promise.resolve());
    const rows = new WorkerRows(database.pool, "twice");
    await rows.beat("dead");
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const taken: string[] = [];
    const slow = rows.bury(0, async (ids) => {
      taken.push(...ids);
      await finished;
    });
    await expect.poll(() => taken).toEqual(["dead"]);
    await rows.bury(0, (ids) => Promise.reject(new Error(`taken twice: ${ids.join()}`)));
    finish();
    await slow;
    expect(await rows.ids()).toEqual([]);
  });

  test("a dead process is buried again if its burial failed", async () => {
    await migrate(database.pool, () => Promise.resolve());
    const rows = new WorkerRows(database.pool, "again");
    await rows.beat("dead");
    await expect(rows.bury(0, () => Promise.reject(new Error("no connection")))).rejects.toThrow("no connection");
    const taken: string[] = [];
    // Postgres takes the failed burial back once it sees that the connection is closed, which takes a moment.
    await expect
      .poll(async () => {
        await rows.bury(0, async (ids) => void taken.push(...ids));
        return taken;
      })
      .toEqual(["dead"]);
  });

  test("a process that told something lately is left alone", async () => {
    await migrate(database.pool, () => Promise.resolve());
    const rows = new WorkerRows(database.pool, "lives");
    await rows.beat("lives");
    await rows.bury(60_000, (ids) => Promise.reject(new Error(`taken: ${ids.join()}`)));
    expect(await rows.ids()).toEqual(["lives"]);
  });
});
