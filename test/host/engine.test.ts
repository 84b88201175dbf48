import { expect, test } from "vitest";
import { createAgent, systemRuntime } from "../../src/index.js";
import { answer as giveAnswer, hostInProcess } from "../../src/host/index.js";
import { memoryStore } from "../../src/memory/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";

/** A host over a store of its own. The ids of its calls are those of every such host. */
async function host() {
  const done = [call("task_completion", { result: "Done." })];
  const agent = createAgent({
    model: scriptedModel([done, [call("ask_question", { question: "Which?" })], done]),
    tools: [askQuestion(), taskCompletion()],
    runtime: { ...systemRuntime, id: () => "one" },
  });
  const made = await hostInProcess({ agents: { worker: agent }, store: memoryStore() });
  await (await made.give({ session: "s", input: "go", inputId: "1" })).ended();
  return made;
}

test("an answer that comes before its call is delivered again until the call is there", async () => {
  const known = await host();
  const { waiting } = await (await known.give({ session: "s", input: "ask", inputId: "2" })).ended();
  const early = await host();
  const answer = giveAnswer(early, { session: "s", callId: waiting!.id, input: "this" });
  // The answer is delivered for the first time meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const asked = await (await early.give({ session: "s", input: "ask", inputId: "2" })).ended();
  expect(asked.waiting?.id).toBe(waiting!.id);
  expect(await (await answer).ended()).toMatchObject({ status: "completed" });
  await Promise.all([known.close(), early.close()]);
});
