// The pauses and bounds of engines, as the host of one process keeps them.

import { expect, test } from "vitest";
import { createAgent, systemRuntime } from "../../src/index.js";
import { answer, hostInProcess, type Host } from "../../src/host/index.js";
import { memoryStore } from "../../src/memory/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";

/** A host over a store of its own. The ids of its calls are those of every such host. */
async function host(): Promise<Host> {
  const done = [call("task_completion", { result: "Done." })];
  const agent = createAgent({
    model: scriptedModel([{ calls: done, delay: 100 }, [call("ask_question", { question: "Which?" })], done]),
    tools: [askQuestion(), taskCompletion()],
    runtime: { ...systemRuntime, id: () => "one" },
  });
  return hostInProcess({ agents: { worker: agent }, store: memoryStore() });
}

test("an answer that comes before its call is delivered again until the call is there", async () => {
  const known = await host();
  await (await known.give({ session: "s", input: "go", inputId: "1" })).ended();
  const { waiting } = await (await known.give({ session: "s", input: "ask", inputId: "2" })).ended();
  const early = await host();
  const first = await early.give({ session: "s", input: "go", inputId: "1" });
  // A run at work may be about to ask, so the answer is taken; and then it ends without a question.
  const answered = answer(early, { session: "s", callId: waiting!.id, input: "this" });
  expect(await first.ended()).toEqual({ status: "completed" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const asked = await (await early.give({ session: "s", input: "ask", inputId: "2" })).ended();
  expect(asked.waiting?.id).toBe(waiting!.id);
  expect(await (await answered).ended()).toMatchObject({ status: "completed" });
  await Promise.all([known.close(), early.close()]);
});
