// Limits in Postgres: runs of several stores, as of several machines, share one budget.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import pg from "pg";
import {
  createAgent,
  tool,
  type Budget,
  type Principal,
  type ReserveAnswer,
  type Reservation,
  type Spent,
} from "../../src/index.js";
import { openSession } from "../../src/memory/index.js";
import { pgStore, type PgPool, type StoredLimitOptions } from "../../src/postgres/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { delegate, taskCompletion } from "../../src/tools/index.js";
import { z } from "zod";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";
import "../dist.js";

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

describe.skipIf(noPostgres)(`limits of each principal, or of each tenant${noPostgres}`, () => {
  const database = useDatabase();
  const people: readonly Principal[] = ["acme", "globex"].flatMap((tenant) =>
    ["ann", "ben", "cas"].map((id) => ({ id, tenant })),
  );
  const [ann, ben] = people;

  const limitsOn = (schema: string, options: Omit<StoredLimitOptions, "name">, pool: PgPool = database.pool) =>
    pgStore(pool, { schema }).limits({ name: "people", ...options });

  const isSent = async (answer: ReserveAnswer | Promise<ReserveAnswer>): Promise<boolean> => "settle" in (await answer);

  /** A pool whose statements see the time that the returned function sets. `now()` is found in its schema before the function of Postgres. */
  async function timed(time: string) {
    const schema = await database.schema();
    const setTime = async (to: string): Promise<void> => {
      await database.pool.query(
        `CREATE OR REPLACE FUNCTION ${schema}.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT '${to}'::timestamptz $$`,
      );
    };
    await setTime(time);
    const options = `-c search_path=${schema},pg_catalog -c TimeZone=Asia/Tokyo`;
    const pool = new pg.Pool({ connectionString: database.server.url, max: 4, options });
    onTestFinished(async () => pool.end());
    return { schema, pool, setTime };
  }

  test("bound six people by themselves, on two machines at once", async () => {
    const schema = await database.schema();
    const machines = [
      limitsOn(schema, { maxTokens: 300, per: "principal" }),
      limitsOn(schema, { maxTokens: 300, per: "principal" }),
    ];
    const sent = await Promise.all(
      people.map(async (who) =>
        Promise.all(
          Array.from({ length: 10 }, async (_none, at) =>
            isSent(machines[at % 2]!.reserve(tokens(100), undefined, who)),
          ),
        ),
      ),
    );
    expect(sent.map((of) => of.filter(Boolean).length)).toEqual([3, 3, 3, 3, 3, 3]);
  });

  test("bound the people of a tenant together, and all without a tenant", async () => {
    const budget = limitsOn(await database.schema(), { maxTokens: 300, per: "tenant" });
    const sent = async (...who: readonly (Principal | undefined)[]) =>
      (await Promise.all(who.map(async (one) => isSent(budget.reserve(tokens(100), undefined, one))))).filter(Boolean)
        .length;
    expect(await sent(...people, ...people)).toBe(6);
    expect(await sent({ id: "ann" }, { id: "ben" }, undefined, undefined)).toBe(3);
    expect(await budget.reserve(tokens(100))).toMatchObject({
      message: expect.stringMatching(/^the limit people of all runs without a tenant: 300 tokens used/),
    });
  });

  test("tell the sum of all, and the amounts of a principal", async () => {
    const budget = limitsOn(await database.schema(), { maxTokens: 300, per: "principal", every: "day" });
    for (const who of [ann, ann, ben, undefined])
      await (await held(budget.reserve(tokens(100), undefined, who))).settle(tokens(90));
    expect((await budget.spent()).tokens).toBe(360);
    const of = await Promise.all(
      [ann, ben, people[2], undefined].map(async (who) => (await budget.spentBy(who)).tokens),
    );
    expect(of).toEqual([180, 90, 0, 90]);
    await expect(budget.spentBy("ann" as never)).rejects.toThrow("The principal of spentBy is no principal");
  });

  test("leave the budgets with other names alone, and with other keys", async () => {
    const schema = await database.schema();
    const store = pgStore(database.pool, { schema });
    const plain = store.limits({ name: "people", maxTokens: 100 });
    await (await held(plain.reserve(tokens(100), undefined, ann))).settle(tokens(100));
    for (const options of [
      { per: "principal" },
      { per: "tenant" },
      { every: "day" },
      { per: "principal", every: "day" },
    ] as const)
      expect(await isSent(limitsOn(schema, { maxTokens: 100, ...options }).reserve(tokens(100), undefined, ann))).toBe(
        true,
      );
    await (
      await held(store.limits({ name: "people of others", maxTokens: 1, per: "tenant" }).reserve(tokens(1)))
    ).settle(tokens(1));
    expect((await plain.spent()).tokens).toBe(100);
  });

  test("count the request of a resumed run once, in another process too", async () => {
    const schema = await database.schema();
    const [one, other] = [
      limitsOn(schema, { maxTokens: 100, per: "principal" }),
      limitsOn(schema, { maxTokens: 100, per: "principal" }),
    ];
    await held(one.reserve(tokens(60), "s/1/model:3", ann));
    await (await held(other.reserve(tokens(60), "s/1/model:3", ann))).settle(tokens(50));
    expect((await one.spentBy(ann)).tokens).toBe(50);
    expect(await isSent(one.reserve(tokens(51), "s/1/model:4", ann))).toBe(false);
  });

  test.each([
    ["hour", "2026-11-29 13:59:59Z", "2026-11-29 14:00:00Z", "2026-11-29T13"],
    ["day", "2026-11-29 23:59:59Z", "2026-11-30 00:00:00Z", "2026-11-29"],
    ["month", "2026-11-30 23:59:59Z", "2026-12-01 00:00:00Z", "2026-11"],
  ] as const)(
    "begin anew with each %s of UTC, whatever the time zone of the connection",
    async (every, before, after, name) => {
      const { schema, pool, setTime } = await timed(before);
      const budget = limitsOn(schema, { maxTokens: 100, per: "principal", every }, pool);
      const open = await held(budget.reserve(tokens(100), undefined, ann));
      expect(await budget.reserve(tokens(100), undefined, ann)).toMatchObject({
        message: expect.stringMatching(
          new RegExp(String.raw`^the limit people of the principal that asked, for ${name} \(UTC\): 100 tokens used`),
        ),
      });
      await setTime(after);
      await held(budget.reserve(tokens(100), undefined, ann));
      // The reply of the request before counts for the period in which it was sent.
      await open.settle(tokens(100));
      expect([(await budget.spentBy(ann)).tokens, (await budget.spent()).tokens]).toEqual([0, 100]);
      const { rows } = await pool.query(`SELECT name FROM ${schema}.budgets ORDER BY name`);
      expect(rows[0]).toEqual({ name: `people\n${name}\n["ann","acme"]` });
    },
  );

  test("send as many statements for a request as limits of all runs", async () => {
    const schema = await database.schema();
    const count = async (options: Partial<StoredLimitOptions>): Promise<number> => {
      let statements = 0;
      const counting: PgPool = {
        ...{
          query: async (...given: Parameters<PgPool["query"]>) => ((statements += 1), database.pool.query(...given)),
        },
        connect: async () => {
          const client = await database.pool.connect();
          const query = client.query.bind(client) as PgPool["query"];
          return Object.assign(Object.create(client) as typeof client, {
            query: async (...given: Parameters<PgPool["query"]>) => ((statements += 1), query(...given)),
          });
        },
        on: database.pool.on.bind(database.pool),
      };
      const budget = limitsOn(schema, { maxTokens: 100_000, ...options }, counting);
      await (await held(budget.reserve(tokens(1), undefined, ann))).settle(tokens(1));
      statements = 0;
      await (await held(budget.reserve(tokens(1), undefined, ann))).settle(tokens(1));
      return statements;
    };
    const usual = await count({});
    expect(usual).toBeGreaterThan(4);
    expect(await count({ per: "principal", every: "day" })).toBe(usual);
  });

  test("know the longest principals apart, and texts that Postgres would refuse", async () => {
    const schema = await database.schema();
    const budget = pgStore(database.pool, { schema }).limits({
      name: "\u{20000}".repeat(100),
      maxTokens: 100,
      per: "principal",
      every: "hour",
    });
    const key = `${"\u{20000}".repeat(200)}/1/model:1`;
    for (const end of ["a", "b", "\0", "\n", "'", "\\"]) {
      const who = { id: `${"\u0001".repeat(99)}${"\u{20000}".repeat(50)}${end}`, tenant: "\u{20000}".repeat(100) };
      for (const one of [who, { id: end === "\n" ? "x\ny" : `x${end}` }]) {
        await (await held(budget.reserve(tokens(100), key, one))).settle(tokens(100));
        expect([(await budget.spentBy(one)).tokens, await isSent(budget.reserve(tokens(1), key, one))]).toEqual([
          100,
          false,
        ]);
      }
    }
    expect((await budget.spent()).tokens).toBe(1200);
  });

  test("stop the run of a person on every machine, also in an agent below, and of nobody else", async () => {
    const schema = await database.schema();
    const store = pgStore(database.pool, { schema });
    const budget = () => limitsOn(schema, { maxIterations: 5, per: "principal", every: "day" });
    const agentWith = (tools: readonly ReturnType<typeof tool>[], words: string) =>
      createAgent({
        model: scriptedModel(() => ({ calls: [call(words, words === "note" ? {} : { task: "look" })], usage })),
        tools: [note, taskCompletion(), ...tools],
        circuit: { stall: false },
      });
    const below = agentWith([], "note");
    const above = agentWith([delegate(below, { name: "research", description: "Looks." })], "research");
    const runs = await Promise.all(
      people.flatMap((by, at) =>
        [above, below].map(async (agent, of) =>
          agent.run("go", {
            session: openSession({ store, id: `s${String(at)}-${String(of)}` }),
            budget: budget(),
            by,
          }),
        ),
      ),
    );
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["stopped"]));
    const spent = await Promise.all(people.map(async (who) => (await budget().spentBy(who)).iterations));
    expect(spent).toEqual([5, 5, 5, 5, 5, 5]);
  });

  test("hold for people whose processes are killed with a request under way, and the runs go on here", async () => {
    const schema = await database.schema();
    const store = pgStore(database.pool, { schema });
    const ids = ["ann", "ben"];
    await Promise.all(
      ids.map(async (id) => {
        const victim = fork(join(import.meta.dirname, "limit-victim.mjs"), [database.server.url, schema, id]);
        expect(await once(victim, "exit")).toEqual([null, "SIGKILL"]);
      }),
    );
    const budget = limitsOn(schema, { maxIterations: 4, per: "principal", every: "month" });
    const agent = createAgent({
      model: scriptedModel(() => [call("note", {})]),
      tools: [note, taskCompletion()],
      circuit: { stall: false },
    });
    const spent = async () =>
      Promise.all([...people.slice(0, 3), undefined].map(async (who) => (await budget.spentBy(who)).iterations));
    expect(await spent()).toEqual([1, 1, 0, 0]);
    const stopped = await Promise.all(
      ids.map(async (id) => agent.resume(openSession({ store, id }), { budget, by: { id: "cas", tenant: "acme" } })),
    );
    // The request that the dead process had set aside is sent again and counts once: four replies each.
    expect(stopped.map(({ status }) => status)).toEqual(["stopped", "stopped"]);
    expect(await spent()).toEqual([4, 4, 0, 0]);
  });

  test("are none with another word", async () => {
    const store = await database.store();
    expect(() => store.limits({ name: "a", maxCost: 1, per: "user" as never })).toThrow(
      'per of limits is "user": give',
    );
    expect(() => store.limits({ name: "a", maxCost: 1, every: "days" as never })).toThrow('Did you mean "day"?');
    expect(store.limits({ name: "a", maxCost: 1, per: "principal" }).needsPrice).toBe(true);
  });
});
