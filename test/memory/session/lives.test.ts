// The ids of calls are idempotency keys: over all the lives that a session has under one id, no two effects have the same.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { forkSession, memoryStore, openSession } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { askFirst } from "../../../src/approval/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

/** A payment service that knows its idempotency keys, and an agent that pays twice in a reply. */
function shop() {
  const keys: string[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: z.object({}),
    effect: "network",
    run: (_input, { callId }) => void keys.push(callId),
  });
  const model = scriptedModel(({ lastText }) =>
    lastText === "Pay." ? [call("pay"), call("pay")] : [call("task_completion", { result: "done" })],
  );
  return { keys, pay, agent: createAgent({ model, tools: [pay, taskCompletion()], permission: allowAll() }) };
}

describe("no effect has the id of an effect in another life of its session:", () => {
  const expectDistinct = (keys: readonly string[], count: number): void => {
    expect([keys.length, new Set(keys).size]).toEqual([count, count]);
  };

  test("after the journal was deleted", async () => {
    const { keys, agent } = shop();
    const store = memoryStore();
    for (let life = 0; life < 3; life += 1) {
      await agent.run("Pay.", { session: openSession({ store, id: "order-7" }) });
      await store.delete("order-7");
    }
    expectDistinct(keys, 6);
  });

  test("after an older copy of the session was put back", async () => {
    const { keys, agent } = shop();
    const { session: copy } = await agent.run("Hello.");
    await agent.run("Pay.", { session: copy });
    await agent.run("Pay.", { session: copy });
    expectDistinct(keys, 4);
  });

  test("after copies from the midst of its run were put back and resumed", async () => {
    const { keys, agent } = shop();
    const { session } = await agent.run("Pay.");
    const records = session.records.slice(0, session.records.findIndex(({ type }) => type === "input") + 1);
    for (let copy = 0; copy < 3; copy += 1) await agent.resume({ ...session, records });
    expectDistinct(keys, 8);
  });

  test("after a copy that waits for an approval was put back and approved again", async () => {
    const { keys, pay } = shop();
    const model = scriptedModel(({ number }) =>
      number === 1 || number % 2 === 0 ? [call("pay")] : [call("task_completion", { result: "done" })],
    );
    let asked = 0;
    const permission = askFirst(() => {
      asked += 1;
      return asked === 1 ? { later: true, reason: "money" } : true;
    });
    const agent = createAgent({ model, tools: [pay, taskCompletion()], permission });
    const { session } = await agent.run("Pay.");
    for (let copy = 0; copy < 2; copy += 1) await agent.run({ allowed: true }, { session });
    const [approved, next, again, other] = keys;
    expect(again).toBe(approved);
    expect([approved, next, other].map((key) => key?.split("/").at(-1))).toEqual([
      "call:1:0",
      expect.stringMatching(/^call:2:0:[a-z0-9]{6}$/),
      expect.stringMatching(/^call:2:0:[a-z0-9]{6}$/),
    ]);
    expect(next).not.toBe(other);
  });

  test.each([
    ["at the end of an iteration", "iteration"],
    ["in the middle of a reply", "reply"],
  ])("in two forks of one id, the first deleted, both made %s", async (_where, type) => {
    const { keys, agent } = shop();
    const store = memoryStore();
    const { session } = await agent.run("Pay.", { session: openSession({ store, id: "one" }) });
    const at = session.records.findIndex((record) => record.type === type) + 1;
    for (let life = 0; life < 2; life += 1) {
      await forkSession({ store, id: "one", at, to: "two" });
      const fork = openSession({ store, id: "two" });
      if (type === "iteration") await agent.resume(fork);
      await (type === "iteration" ? agent.run("Pay.", { session: fork }) : agent.resume(fork));
      await store.delete("two");
    }
    expectDistinct(keys, 6);
  });
});

test("a call that a dead process left has the same id in the process that resumes its run", async () => {
  const { keys, agent } = shop();
  const { session } = await agent.run("Pay.");
  const records = session.records.slice(0, session.records.findIndex(({ type }) => type === "reply") + 1);
  const [first, second] = keys;
  await agent.resume({ ...session, records });
  expect(keys.slice(2)).toEqual([first, second]);
});
