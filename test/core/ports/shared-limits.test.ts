import { describe, expect, test } from "vitest";
import {
  createAgent,
  sharedLimits,
  type AnyOutcome,
  type Principal,
  type SharedLimitOptions,
  type Spent,
} from "../../../src/index.js";
import { call, scriptedModel, virtualClock } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const usage = { inputTokens: 900, outputTokens: 100 };
const done = { calls: [call("task_completion", { result: "Done." })], usage };
const prices = { scripted: { input: 1000, output: 1000 } };

function agentOn(limits: object = { prices }) {
  return createAgent({ model: scriptedModel(() => done), tools: [taskCompletion()], limits });
}

describe("limits that several runs share", () => {
  test("took ten lines of one's own: now they stop the run that would pass them, and say so in one sentence", async () => {
    const budget = sharedLimits({ maxCost: 3 });
    const agent = agentOn();
    const outcomes = [];
    for (let run = 0; run < 5; run += 1) outcomes.push(await agent.run("go", { budget }));
    expect(outcomes.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "stopped", "stopped"]);
    expect(budget.spent).toEqual({ iterations: 3, tokens: 3000, cost: 3 });
    expect(outcomes[4]).toMatchObject({
      reason: "cost_budget",
      message: expect.stringMatching(/^the limit that several runs share: a cost of 3 used, a cost of 3 allowed, and/),
      iterations: 0,
    });
  });

  test("hold for runs at the same time, over several agents", async () => {
    const budget = sharedLimits({ maxIterations: 3 });
    const agents = [agentOn({}), agentOn({})];
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_none, index) => agents[index % 2]!.run("go", { budget })),
    );
    expect(outcomes.filter(({ status }) => status === "completed")).toHaveLength(3);
    expect(budget.spent.iterations).toBe(3);
  });

  test("give back what a failed request had reserved", async () => {
    const budget = sharedLimits({ maxIterations: 1 });
    const failing = createAgent({ model: scriptedModel([{ status: 401 }]), tools: [taskCompletion()] });
    expect((await failing.run("go", { budget })).status).toBe("failed");
    expect((await agentOn({}).run("go", { budget })).status).toBe("completed");
  });

  test("began at nothing in each process: now they count the amounts of an earlier one", async () => {
    const earlier = sharedLimits({ maxCost: 3 });
    for (let run = 0; run < 2; run += 1) await agentOn().run("go", { budget: earlier });
    const budget = sharedLimits({ maxCost: 3, spent: earlier.spent });
    expect((await agentOn().run("go", { budget })).status).toBe("completed");
    expect((await agentOn().run("go", { budget })).status).toBe("stopped");
    expect(budget.spent).toEqual({ iterations: 3, tokens: 3000, cost: 3 });
  });

  test.each([
    [{ cost: 1 }, "sharedLimits.spent needs the option iterations"],
    [{ iterations: 1, tokens: 1, cost: -1 }, "sharedLimits.spent.cost is -1: give 0 or more"],
    [2, "spent of sharedLimits is 2"],
  ])("begin with no amounts such as %j", (spent, words) => {
    expect(() => sharedLimits({ maxCost: 1, spent: spent as never })).toThrow(words);
  });

  test("on the cost refuse a model without a price, which would cost nothing", async () => {
    const words = "The shared maxCost needs what scripted costs: add it to limits.prices";
    await expect(agentOn({}).run("go", { budget: sharedLimits({ maxCost: 1 }) })).rejects.toThrow(words);
  });

  test.each([[{}], [{ maxCost: 0 }], [{ maxTokens: 1.5 }], [{ maxIterations: -1 }]])(
    "are no limits if they are %j",
    (options) => {
      expect(() => sharedLimits(options)).toThrow("sharedLimits");
    },
  );
});

describe("limits of each principal, or of each tenant", () => {
  const ofPrincipals: SharedLimitOptions = { maxCost: 2, per: "principal" };
  const people: readonly Principal[] = ["acme", "globex"].flatMap((tenant) =>
    ["ann", "ben", "cas"].map((id) => ({ id, tenant })),
  );
  const one: Spent = { iterations: 1, tokens: 1000, cost: 1 };

  /** So many runs of each person, in turn. */
  async function runsOf(options: SharedLimitOptions, runs: number, who: readonly (Principal | undefined)[] = people) {
    const budget = sharedLimits(options);
    const agent = agentOn();
    const outcomes = who.map((): AnyOutcome[] => []);
    for (let run = 0; run < runs; run += 1)
      for (const [index, by] of who.entries()) outcomes[index]?.push(await agent.run("go", { budget, by }));
    const completed = outcomes.map((of) => of.filter(({ status }) => status === "completed").length);
    return { budget, outcomes: outcomes.flat(), completed };
  }

  test("took a map of budgets and a choice for each run: now one budget bounds each of six people by themselves", async () => {
    const { budget, completed } = await runsOf(ofPrincipals, 3);
    expect(completed).toEqual([2, 2, 2, 2, 2, 2]);
    expect(people.map((who) => budget.spentBy(who).cost)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(budget.spent.cost).toBe(12);
  });

  test("bound the people of a tenant together", async () => {
    const { budget, completed } = await runsOf({ maxCost: 4, per: "tenant" }, 2);
    expect([completed.slice(0, 3), completed.slice(3)].map((of) => of.reduce((sum, count) => sum + count, 0))).toEqual([
      4, 4,
    ]);
    expect(budget.spentBy({ id: "somebody else", tenant: "acme" }).cost).toBe(4);
    expect(budget.spentBy({ id: "ann" }).cost).toBe(0);
  });

  test("are one limit for all runs of nobody, and for all without a tenant", async () => {
    const { budget, completed, outcomes } = await runsOf(ofPrincipals, 2, [undefined, undefined, { id: "ann" }]);
    expect((completed[0] ?? 0) + (completed[1] ?? 0)).toBe(2);
    expect(completed[2]).toBe(2);
    expect([budget.spentBy().cost, budget.spentBy({ id: "ann" }).cost]).toEqual([2, 2]);
    expect(outcomes.find(({ status }) => status === "stopped")).toMatchObject({
      message: expect.stringMatching(/^the limit of all runs without a principal: a cost of/),
    });
    const tenants = await runsOf({ maxCost: 2, per: "tenant" }, 1, [undefined, { id: "ann" }, { id: "ben" }]);
    expect(tenants.completed.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(tenants.outcomes.find(({ status }) => status === "stopped")).toMatchObject({
      message: expect.stringMatching(/^the limit of all runs without a tenant: /),
    });
  });

  test("tell whose limit it is, and no id: another person may read it", async () => {
    for (const per of ["principal", "tenant"] as const) {
      const { outcomes } = await runsOf({ maxCost: 2, per, every: "day", runtime: { now: () => 1e12 } }, 3);
      const stopped = outcomes.find(({ status }) => status === "stopped");
      expect(stopped).toMatchObject({
        reason: "cost_budget",
        message: expect.stringMatching(
          new RegExp(String.raw`^the limit of the ${per} that asked, for 2001-09-09 \(UTC\): a cost of 2 used, `),
        ),
      });
      expect(stopped?.status === "stopped" && stopped.message).not.toMatch(/ann|ben|cas|acme|globex/);
    }
  });

  test("hold for the runs of many people at the same time", async () => {
    const budget = sharedLimits({ maxIterations: 3, per: "principal" });
    const agents = [agentOn({}), agentOn({})];
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, async (_none, run) => agents[run % 2]!.run("go", { budget, by: people[run % 6] })),
    );
    expect(outcomes.filter(({ status }) => status === "completed")).toHaveLength(18);
    expect(people.map((who) => budget.spentBy(who).iterations)).toEqual([3, 3, 3, 3, 3, 3]);
  });

  test("know a principal by id and tenant: a name and roles make no new person, and no id passes for another", () => {
    const budget = sharedLimits({ maxCost: 1, per: "principal" });
    const isSent = (who: Principal): boolean => "settle" in budget.reserve(one, "key", who);
    expect(isSent({ id: "ann", tenant: "acme" })).toBe(true);
    expect(isSent({ id: "ann", tenant: "acme", name: "Another", roles: ["boss"] })).toBe(false);
    const others = [{ id: "ann" }, { id: "acme", tenant: "ann" }, { id: '["ann","acme"]' }, { id: 'ann","acme' }];
    expect(others.map(isSent)).toEqual([true, true, true, true]);
  });

  test.each([
    ["hour", 3_600_000, "2026-11-29T13"],
    ["day", 86_400_000, "2026-11-29"],
    ["month", 31 * 86_400_000, "2026-11"],
  ] as const)("begin anew with each %s of UTC", async (every, later, name) => {
    const clock = virtualClock({ start: Date.UTC(2026, 10, 29, 13, 59, 59) });
    const budget = sharedLimits({ maxCost: 1, per: "principal", every, runtime: clock });
    const agent = agentOn();
    const [by] = people;
    const go = async () => agent.run("go", { budget, by });
    expect((await go()).status).toBe("completed");
    expect(await go()).toMatchObject({ status: "stopped", message: expect.stringContaining(`, for ${name} (UTC): `) });
    await clock.advance(later);
    expect(budget.spentBy(by).cost).toBe(0);
    expect((await go()).status).toBe("completed");
    expect((await go()).status).toBe("stopped");
    expect([budget.spentBy(by).cost, budget.spent.cost]).toEqual([1, 2]);
  });

  test("count a request for the day on which it was sent, though its reply comes on the next", async () => {
    const clock = virtualClock({ start: Date.UTC(2026, 10, 29, 23, 59, 59) });
    const budget = sharedLimits({ maxCost: 1, every: "day", runtime: clock });
    const answer = await budget.reserve(one);
    await clock.advance(2000);
    if ("settle" in answer) await answer.settle(one);
    expect([budget.spentBy().cost, budget.spent.cost]).toEqual([0, 1]);
  });

  test("forget nothing if the clock goes back over midnight", async () => {
    let now = Date.UTC(2026, 10, 29, 23, 59, 59);
    const budget = sharedLimits({ maxCost: 1, per: "principal", every: "day", runtime: { now: () => now } });
    const spend = async (): Promise<string> => {
      const answer = await budget.reserve(one, "key", people[0]);
      if ("reason" in answer) return answer.reason;
      await answer.settle(one);
      return "sent";
    };
    const told = [await spend()];
    for (const by of [2000, -2000, 2000]) {
      now += by;
      told.push(await spend());
    }
    expect(told).toEqual(["sent", "sent", "cost_budget", "cost_budget"]);
  });

  test("keep the accounts of two days, however long the process lives", async () => {
    let now = 0;
    const budget = sharedLimits({ maxCost: 1, every: "day", runtime: { now: () => now } });
    for (let day = 0; day < 5; day += 1) {
      now = day * 86_400_000;
      const answer = await budget.reserve(one);
      if ("settle" in answer) await answer.settle(one);
    }
    expect(budget.spentBy().cost).toBe(1);
    now -= 86_400_000;
    expect(budget.spentBy().cost).toBe(1);
    now -= 86_400_000;
    expect(budget.spentBy().cost).toBe(0);
  });

  test.each([
    [{ per: "user" }, 'The option per of sharedLimits is "user": give one of "principal", "tenant".'],
    [{ every: "days" }, 'every of sharedLimits is "days": give one of "hour", "day", "month". Did you mean "day"?'],
    [{ every: 86_400_000 }, 'every of sharedLimits is 86400000: give one of "hour", "day", "month".'],
    [{ per: "principal", spent: one }, "sharedLimits.spent is one sum"],
    [{ every: "day", spent: one }, "sharedLimits.spent is one sum"],
    [{ every: "day", runtime: {} }, "give a clock: { now() }"],
  ])("are none with %j", (options, words) => {
    expect(() => sharedLimits({ maxCost: 1, ...(options as object) })).toThrow(words);
  });

  test("tell the amounts of a principal, and of nothing else", () => {
    const budget = sharedLimits({ maxCost: 1, per: "principal" });
    expect(() => budget.spentBy("ann" as never)).toThrow("The principal of spentBy is no principal");
  });

  test("on the cost refuse a model without a price, too", async () => {
    const budget = sharedLimits({ maxCost: 1, per: "principal" });
    await expect(agentOn({}).run("go", { budget, by: { id: "ann" } })).rejects.toThrow("The shared maxCost needs");
  });
});
