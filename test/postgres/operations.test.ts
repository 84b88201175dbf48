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
const [grants = "", watching = ""] = [...page.matchAll(/^```sql\n([^]*?)^```$/gm)].map(([, text]) => text ?? "");

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
});
