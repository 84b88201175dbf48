// The ids of calls are idempotency keys: over all the lives that a session has under one id, no two effects have the same.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { forkSession, memoryStore, openSession } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
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
  return { keys, agent: createAgent({ model, tools: [pay, taskCompletion()], permission: allowAll() }) };
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
