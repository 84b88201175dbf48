// Limits in Postgres: runs of several stores, as of several machines, share one budget.

import { describe, expect, test } from "vitest";
import { createAgent, tool, type Budget, type ReserveAnswer, type Reservation, type Spent } from "../../src/index.js";
import { openSession } from "../../src/memory/index.js";
import { pgStore } from "../../src/postgres/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { z } from "zod";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";

const tokens = (count: number): Spent => ({ iterations: 1, tokens: count, cost: 0 });

async function held(answer: ReserveAnswer | Promise<ReserveAnswer>): Promise<Reservation> {
  const reserved = await answer;
  if ("reason" in reserved) throw new Error(reserved.message);
  return reserved;
}

const note = tool({
  name: "note",
  description: "Notes",
  input: z.object({}),
  effect: "none",
  run: () => "noted",
});
const usage = { inputTokens: 900, cachedInputTokens: 0, outputTokens: 100, reasoningTokens: 0 };

describe.skipIf(noPostgres)(`limits${noPostgres}`, () => {
  const database = useDatabase();

  /** The same budget in two stores, as two machines have it. */
  async function twice(maxTokens: number) {
    const schema = await database.schema();
    const of = () => pgStore(database.pool, { schema }).limits({ name: "acme", maxTokens });
    return { schema, one: of(), other: of() };
  }

  test("have room for what no machine has set aside yet", async () => {
    const { one, other } = await twice(100);
    const first = await held(one.reserve(tokens(60)));
    expect(await other.reserve(tokens(41))).toMatchObject({
      reason: "token_budget",
      message: expect.stringMatching(/^the limit acme that several runs share: 60 tokens used, 100 tokens allowed/),
      canClose: false,
    });
    await held(other.reserve(tokens(40)));
    first.release();
    await expect.poll(() => held(other.reserve(tokens(60)))).toBeDefined();
  });

  test("count what was used in place of what was set aside, once", async () => {
    const { one, other } = await twice(100);
    const reserved = await held(one.reserve(tokens(90)));
    await reserved.settle(tokens(30));
    await reserved.settle(tokens(30));
    expect(await other.spent()).toEqual(tokens(30));
    await held(other.reserve(tokens(70)));
  });

  test("are never passed by what is set aside at the same time", async () => {
    const { one, other } = await twice(1000);
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_none, index) => (index % 2 === 0 ? one : other).reserve(tokens(100))),
    );
    expect(answers.filter((answer) => "settle" in answer)).toHaveLength(10);
  });

  test("count the request of a resumed run once: it replaces what its process had set aside", async () => {
    const { one, other } = await twice(100);
    await held(one.reserve(tokens(60), "s/1/model:3"));
    const again = await held(other.reserve(tokens(60), "s/1/model:3"));
    await again.settle(tokens(50));
    expect(await one.spent()).toEqual(tokens(50));
    await held(one.reserve(tokens(50), "s/1/model:4"));
  });

  test("have room again once the amount of a dead process is too old, and a late reply counts all the same", async () => {
    const { one, other, schema } = await twice(100);
    const dead = await held(one.reserve(tokens(100)));
    expect(await other.reserve(tokens(1))).toHaveProperty("reason");
    await database.pool.query(`UPDATE ${schema}.reservations SET until = clock_timestamp()`);
    await held(other.reserve(tokens(80)));
    await dead.settle(tokens(10));
    expect(await other.spent()).toEqual(tokens(10));
  });

  test("stop the runs that draw from them, on every machine, and their sum is that of the outcomes", async () => {
    const schema = await database.schema();
    const budgetOf = (): Budget => pgStore(database.pool, { schema }).limits({ name: "all", maxTokens: 12_000 });
    const runs = await Promise.all(
      Array.from({ length: 4 }, async (_none, index) => {
        const store = pgStore(database.pool, { schema });
        const model = scriptedModel(() => ({ calls: [call("note", {})], usage }));
        const agent = createAgent({ model, tools: [note, taskCompletion()], circuit: { stall: false } });
        return agent.run("Go.", { session: openSession({ store, id: `s${String(index)}` }), budget: budgetOf() });
      }),
    );
    expect(runs.map(({ status }) => status)).toEqual(Array(4).fill("stopped"));
    const used = runs.reduce((sum, { usage: { inputTokens, outputTokens } }) => sum + inputTokens + outputTokens, 0);
    expect(await pgStore(database.pool, { schema }).limits({ name: "all", maxTokens: 1 }).spent()).toMatchObject({
      tokens: used,
    });
    // A reply may use more than was estimated, each of the four once.
    expect(used).toBeLessThanOrEqual(12_000 + 4 * 1000);
    expect(used).toBeGreaterThan(8000);
  });

  test("need a limit and a name", async () => {
    const store = await database.store();
    expect(() => store.limits({ name: "a" })).toThrow("needs a limit");
    for (const name of ["", "a\n", "x".repeat(201)])
      expect(() => store.limits({ name, maxTokens: 1 })).toThrow("limits.name names a budget");
    expect(store.limits({ name: "a", maxCost: 1 }).needsPrice).toBe(true);
  });
});
