// agent.waiting: the question that a session waits with, for the agent that will take the answer.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, systemRuntime, tool, type Session } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

const refund = tool({
  name: "refund",
  description: "Proposes to pay money back.",
  input: z.object({ order: z.string(), cents: z.int() }),
  isLoopBreaking: true,
  awaitsReply: true,
  expiresAfter: 60_000,
  replySchema: z.object({ approved: z.boolean() }),
});
const asks = [call("refund", { order: "A-1", cents: 400 })];
const done = [call("task_completion", { result: "paid" })];

function agentOn(script: Script) {
  return createAgent({ model: scriptedModel(script), tools: [refund, askQuestion(), taskCompletion()] });
}

describe("agent.waiting", () => {
  test("is what the outcome said, from a store and from plain data, until the answer", async () => {
    const session = openSession({ store: memoryStore(), id: "s" });
    const agent = agentOn([asks, done]);
    expect(await agent.waiting(session)).toBeUndefined();
    const outcome = await agent.run("Pay.", { session });
    if (outcome.status !== "waiting") throw new Error(outcome.status);
    const { id, by, value, replySchema, expiresAt } = outcome;
    const due = await agent.waiting(session);
    expect(due).toEqual({ id, by, value, replySchema, expiresAt });
    expect(due?.by === "refund" && due.value.cents).toBe(400);
    expect(await agent.waiting(outcome.session)).toEqual(due);
    expect(await session.waiting()).toEqual(due);
    await agent.run({ approved: true }, { session, answers: due?.id });
    expect(await agent.waiting(session)).toBeUndefined();
  });

  test("is nothing once the agent's own clock says that the time is over", async () => {
    const { session } = await agentOn([asks]).run("Pay.");
    const later = createAgent({
      model: scriptedModel([]),
      tools: [refund],
      runtime: { ...systemRuntime, now: () => systemRuntime.now() + 60_000 },
    });
    expect(await later.waiting(session)).toBeUndefined();
    expect(await agentOn([]).waiting(session)).toMatchObject({ by: "refund" });
  });

  test("can be asked while the session is at work elsewhere", async () => {
    const session = openSession({ store: memoryStore(), id: "s" });
    await agentOn([asks]).run("Pay.", { session });
    const lease = await session.lease();
    expect(await agentOn([]).waiting(session)).toMatchObject({ value: { order: "A-1" } });
    await lease?.release();
  });

  test("refuses a question of a tool that the agent does not have, because its types would lie", async () => {
    const { session } = await agentOn([asks]).run("Pay.");
    const other = createAgent({ model: scriptedModel([]), tools: [askQuestion(), taskCompletion()] });
    await expect(other.waiting(session)).rejects.toMatchObject({
      code: "configuration",
      message: expect.stringContaining("waits for an answer to refund") as string,
    });
    await expect(other.waiting(session)).rejects.toThrow("Those that do: ask_question.");
    const mute = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
    await expect(mute.waiting(session)).rejects.toThrow("None of its tools does.");
  });

  test.each([["order-7"], [{ version: 1, id: "s" }]])("refuses what is no session: %j", async (given) => {
    await expect(agentOn([]).waiting(given as unknown as Session)).rejects.toMatchObject({ code: "configuration" });
  });
});
