import { describe, expect, test } from "vitest";
import { createAgent, sharedLimits } from "../../../src/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
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
