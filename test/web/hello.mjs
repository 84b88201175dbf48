// A program for any runtime: an agent with a scripted model and a session, and one with a provider behind `url`. Returns what both gave.

import { createAgent, tool } from "lastcall";
import { memoryStore, openSession } from "lastcall/memory";
import { openai } from "lastcall/model";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";

const number = { type: "number" };
const input = {
  type: "object",
  properties: { a: number, b: number },
  required: ["a", "b"],
  additionalProperties: false,
};
const add = tool({ name: "add", description: "Adds two numbers.", input, run: ({ a, b }) => a + b });

export async function hello(url) {
  const store = memoryStore();
  const session = () => openSession({ store, id: "sum" });
  const model = scriptedModel([
    [call("add", { a: "one", b: 2 })],
    [call("add", { a: 1, b: 2 })],
    [call("task_completion", { result: "3" })],
  ]);
  const scripted = await createAgent({ model, tools: [add, taskCompletion()] }).run("1 + 2?", { session: session() });
  const { records } = await session().toJSON();
  const provider = openai({ baseURL: url, apiKey: "sk-test-key", model: "scripted" });
  const real = await createAgent({ model: provider, tools: [add, taskCompletion()] }).run("4 + 5?");
  return [scripted, real].map(({ status, value }) => ({ status, value })).concat([{ records: records.length > 0 }]);
}
