import { expect, test } from "vitest";
import { createAgent, tool } from "../src/index.js";
import { taskCompletion, askQuestion } from "../src/tools/index.js";
import { openai } from "../src/model/index.js";
import { call, scriptedModel, scriptedProvider } from "../src/testing/index.js";
import { z } from "zod";
const look = tool({ name: "look", description: "x", input: z.object({ key: z.string() }), effect: "read", run: ({ key }) => `value of ${key}` });
const script = [[call("look", { ky: "a" })], "hello", [call("look", { key: "a" }), call("look", { key: "b" })], [call("task_completion", { result: "döne" })]] as const;
test("model", async () => {
  const model = scriptedModel(script);
  const agent = createAgent({ model, tools: [look, taskCompletion(), askQuestion()] });
  const events: unknown[] = [];
  const outcome = await agent.run("go", { onEvent: (e) => events.push(e) });
  console.log(events.map((e) => JSON.stringify(e).slice(0, 300)).join("\n"));
  expect(outcome.status).toBe("completed");
  console.log(JSON.stringify(model.requests.at(-1)!.messages, null, 1));
});
test("provider", async () => {
  await using provider = await scriptedProvider(script);
  const agent = createAgent({ model: openai({ baseURL: provider.url }), tools: [look, taskCompletion(), askQuestion()] });
  const outcome = await agent.run("go");
  console.log(JSON.stringify(outcome.status === "failed" ? outcome.fault : outcome.iterations));
  expect(outcome.status).toBe("completed");
  console.log(JSON.stringify(provider.requests.at(-1)!.body, null, 1));
});
