// The rung of the forcing ladder is kept with the session: a session that goes on in another process keeps its prompt.

import { expect, test } from "vitest";
import { fromAiSdk, type AiSdkModel } from "../../src/ai-sdk/index.js";
import { createAgent, type Session } from "../../src/index.js";
import { openai, type OpenAIOptions } from "../../src/model/index.js";
import { scriptedProvider } from "../../src/testing/index.js";
import { converse, taskCompletion } from "../../src/tools/index.js";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };

/** A model whose package tells no model that it must call a tool, as Anthropic's with thinking. Keeps the system prompts that it was sent. */
function thinking(systems: string[], modelId = "m"): AiSdkModel {
  const doStream = ({ prompt }: { readonly prompt: readonly [{ readonly content: string }] }) => {
    systems.push(prompt[0].content);
    const parts = [
      { type: "stream-start", warnings: [{ type: "unsupported", feature: "toolChoice", details: "thinking is on" }] },
      { type: "tool-call", toolCallId: "c", toolName: "task_completion", input: '{"result":"ok"}' },
      { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_use" }, usage },
    ];
    const stream = new ReadableStream<object>({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
        controller.close();
      },
    });
    return Promise.resolve({ stream });
  };
  return { specificationVersion: "v4", provider: "anthropic.messages", modelId, doStream } as unknown as AiSdkModel;
}

/** The session as another process reads it. */
const elsewhere = (session: Session): Session => JSON.parse(JSON.stringify(session)) as Session;

test("the prompt of a session that goes on elsewhere is the prompt that it had", async () => {
  const systems: string[] = [];
  const agent = () => createAgent({ model: fromAiSdk(thinking(systems)), tools: [taskCompletion(), converse()] });
  let { session } = await agent().run("go");
  for (const words of ["again", "and again"]) ({ session } = await agent().run(words, { session: elsewhere(session) }));
  expect(systems[1]).not.toBe(systems[0]);
  expect(systems.slice(2)).toEqual([systems[1]]);
});

test("another model of the session begins at its own first rung, and so does a pinned one", async () => {
  const systems: string[] = [];
  const agent = (id: string, forcing: "ladder" | "required" = "ladder") =>
    createAgent({ model: fromAiSdk(thinking(systems, id), { forcing }), tools: [taskCompletion()] });
  const { session } = await agent("m").run("go");
  await agent("other").run("again", { session: elsewhere(session) });
  await agent("m", "required").run("again", { session: elsewhere(session) });
  expect(systems).toEqual([systems[0], systems[0], systems[0]]);
});

test.each<[string, string]>([
  ["a tool choice", "tool_choice is not supported"],
  ["tools", "this model does not support tools"],
])("a server that refuses %s is asked once in the wrong way, in the first process", async (_what, message) => {
  const call = { calls: [{ name: "task_completion", input: { result: "ok" } }] };
  const xml = "<tool>\n<tool_name>task_completion</tool_name>\n<arguments>\n<result>ok</result>\n</arguments>\n</tool>";
  const answers = [
    { status: 400, message },
    ...Array.from({ length: 2 }, () => (message.includes("choice") ? call : xml)),
  ];
  await using provider = await scriptedProvider(answers);
  const options: OpenAIOptions = { baseURL: provider.url, model: "m", api: "chat", steady: false };
  const agent = () => createAgent({ model: openai(options), tools: [taskCompletion()] });
  const first = await agent().run("go");
  const second = await agent().run("again", { session: elsewhere(first.session) });
  expect([first.status, second.status, provider.requests.length]).toEqual(["completed", "completed", 3]);
});
