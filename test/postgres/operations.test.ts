// The statements of docs/operations.md, on a real Postgres: they run, and say what the page says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { openSession } from "../../src/memory/index.js";
import { migrate, pgStore } from "../../src/postgres/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";

const page = readFileSync(join(import.meta.dirname, "../../docs/operations.md"), "utf8");
const [grants = "", ofBudgets = "", watching = ""] = [...page.matchAll(/^```sql\n([^]*?)^```$/gm)].map(
  ([, text]) => text ?? "",
);

describe.skipIf(noPostgres)(`the page of operations${noPostgres}`, () => {
  const database = useDatabase();

  test("gives workers the rights that they need, and no more", async () => {
    await migrate(database.pool);
    await database.pool.query(grants);
    const { port } = database.server;
    const pool = new pg.Pool({ host: "127.0.0.1", port, user: "worker", database: "postgres" });
    const store = pgStore(pool);
    const model = scriptedModel([
      [call("ask_question", { question: "Go on?" })],
      [call("task_completion", { result: "Done." })],
    ]);
    const agent = createAgent({ model, tools: [askQuestion(), taskCompletion()] });
    const session = openSession({ store, id: "s" });
    const budget = store.limits({ name: "acme", maxTokens: 1_000_000 });
    expect(await agent.run("Go.", { session, budget })).toMatchObject({ status: "waiting" });
    await session.send({ text: "Words that nobody took." });

    const statements = watching.split(";").filter((text) => /select/i.test(text));
    const rows = [];
    for (const statement of statements) rows.push((await database.pool.query<Record<string, unknown>>(statement)).rows);
    expect(rows[0]).toEqual([{ session: "s", waits: expect.anything() as unknown }]);
    expect(rows[1]).toEqual([{ at_work: "0", left_alone: "0" }]);
    expect(rows[2]).toEqual([{ count: "1", oldest: expect.anything() as unknown }]);
    expect(rows).toHaveLength(4);

    await expect(pool.query("CREATE TABLE lastcall.mine (a int)")).rejects.toThrow("permission denied");
    await expect(migrate(pool)).rejects.toThrow("permission denied");
    await pool.end();
  });

  test("tells who has spent most today, and deletes periods that are over and nothing else", async () => {
    await migrate(database.pool);
    const limits = { maxTokens: 100, per: "principal", every: "day" } as const;
    const store = pgStore(database.pool);
    const budget = store.limits({ name: "people", ...limits });
    for (const [of, id, tokens] of [
      [budget, "ann", 10],
      [budget, "ben", 20],
      [store.limits({ name: "people of others", ...limits }), "cas", 30],
    ] as const) {
      const answer = await of.reserve({ iterations: 1, tokens, cost: tokens }, undefined, { id, tenant: "acme" });
      if ("settle" in answer) await answer.settle({ iterations: 1, tokens, cost: tokens });
    }
    for (const name of ['people\n2025-12-31\n["ann"]', 'peoples\n2025-12-31\n["ann"]', "people"])
      await database.pool.query("INSERT INTO lastcall.budgets (name) VALUES ($1) ON CONFLICT DO NOTHING", [name]);
    const [most = "", over = ""] = ofBudgets.split(";");
    expect((await database.pool.query(most)).rows).toEqual([
      { who: '["ben","acme"]', cost: 20, tokens: "20" },
      { who: '["ann","acme"]', cost: 10, tokens: "10" },
    ]);
    expect((await database.pool.query(over)).rowCount).toBe(1);
    expect((await budget.spent()).tokens).toBe(30);
  });
});
