// Agents as tools of agents: their depth, and the end of a call whose agent is still at work.

import { expect, test } from "vitest";
import { createAgent, type Agent } from "../../../src/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { delegate, taskCompletion } from "../../../src/tools/index.js";

/** An agent with so many agents below it, each below the last, and the number of those that were asked. */
function tower(levels: number, maxDepth: number | undefined) {
  let asked = 0;
  const make = (below: number): Agent => {
    const done = [call("task_completion", { result: "done" })];
    const script = below === 0 ? [done] : [[call("deeper", { task: "x" })], done];
    const tools =
      below === 0
        ? [taskCompletion()]
        : [delegate(make(below - 1), { name: "deeper", description: "Goes on", maxDepth }), taskCompletion()];
    const model = scriptedModel(script);
    const respond: typeof model.respond = (...given) => {
      asked += 1;
      return model.respond(...given);
    };
    return createAgent({ model: { ...model, respond }, tools, permission: allowAll() });
  };
  return { agent: make(levels), asked: () => asked };
}

test.each([
  [3, undefined, 7],
  [4, undefined, 8],
  [1, 1, 3],
  [2, 1, 4],
])("agents that stand %i deep, with a maxDepth of %s, send %i requests", async (levels, maxDepth, requests) => {
  const { agent, asked } = tower(levels, maxDepth);
  expect((await agent.run("Go.")).status).toBe("completed");
  expect(asked()).toBe(requests);
});

test("a call whose time is up says so, and not that its agent was aborted", async () => {
  const slow = createAgent({
    model: scriptedModel([{ delay: 60_000, calls: [call("task_completion", { result: "late" })] }]),
    tools: [taskCompletion()],
  });
  const agent = createAgent({
    model: scriptedModel([[call("ask", { task: "x" })], [call("task_completion", { result: "done" })]]),
    tools: [delegate(slow, { name: "ask", description: "Asks", timeout: 50 }), taskCompletion()],
    permission: allowAll(),
  });
  const { session } = await agent.run("Go.");
  const [result] = session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
  expect(result).toMatchObject({ ok: false, failure: { kind: "tool_timeout" } });
});
