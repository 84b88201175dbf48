import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, fromMessages, tool, type Message } from "../../../src/index.js";
import { assertWellFormed, call, scriptedModel, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { openai } from "../../../src/model/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const done = [call("task_completion", { result: "Done." })];
const look = tool({ name: "look", description: "Looks.", input: z.object({ n: z.int() }), run: () => "seen" });

function agentOn(script: Script) {
  const model = scriptedModel(script);
  return { model, agent: createAgent({ model, tools: [look, taskCompletion()] }) };
}

/** A call as chat completions have it. */
function chatCall(id: string, input: string, name = "look") {
  return { id, type: "function", function: { name, arguments: input } };
}

const history = [
  { role: "user", content: "Look at 1 and 2." },
  { role: "assistant", content: null, tool_calls: [chatCall("x1", '{"n":1}'), chatCall("x2", '{ "n": 2 }')] },
  { role: "tool", tool_call_id: "x2", content: "two" },
  { role: "tool", tool_call_id: "x1", content: [{ type: "text", text: "one" }] },
  { role: "assistant", content: "They are one and two." },
  {
    role: "user",
    content: [
      { type: "text", text: "And " },
      { type: "text", text: "now?" },
    ],
  },
];

/** The messages as far as they can be compared with those of another program. */
function plain(messages: readonly Message[]) {
  return messages.map((message) =>
    message.role === "assistant"
      ? [message.reply.text, ...message.reply.calls.map(({ name }) => name)]
      : [message.role, message.text],
  );
}

describe("a conversation from elsewhere", () => {
  test("whose last message is the user's is answered without new words, in place of a workaround with a fresh session", async () => {
    const { agent, model } = agentOn([[call("look", { n: 3 })], done]);
    const session = fromMessages(history);
    assertWellFormed(session.records, { ended: false });
    const outcome = await agent.run(undefined, { session });
    expect(outcome).toMatchObject({ status: "completed", value: { result: "Done." }, inputs: ["And now?"] });
    expect(plain(model.requests[0]!.messages)).toEqual([
      ["user", "Look at 1 and 2."],
      ["", "look", "look"],
      ["tool", "one"],
      ["tool", "two"],
      ["They are one and two."],
      ["user", "And now?"],
    ]);
    assertWellFormed(outcome.session.records);
  });

  test("reaches a provider as the messages that it was, with the ids and the arguments as they were", async () => {
    await using provider = await scriptedProvider([done]);
    const agent = createAgent({
      model: openai({ baseURL: provider.url, apiKey: "k" }),
      tools: [look, taskCompletion()],
    });
    await agent.run(undefined, { session: fromMessages(history) });
    const [system, ...messages] = provider.requests[0]!.body.messages;
    expect(system).toMatchObject({ role: "system" });
    expect(messages[1]).toMatchObject({ tool_calls: [chatCall("x1", '{"n":1}'), chatCall("x2", '{ "n": 2 }')] });
    expect(messages.slice(2, 4)).toMatchObject([{ tool_call_id: "x1" }, { tool_call_id: "x2" }]);
    expect(messages.at(-1)).toMatchObject({ role: "user", content: "And now?" });
  });

  test("that ends with the assistant, or with results, goes on with words or without", async () => {
    const { agent, model } = agentOn(() => done);
    const talked = await agent.run("Thanks.", { session: fromMessages(history.slice(0, 5)) });
    expect(plain(model.requests[0]!.messages).slice(-2)).toEqual([["They are one and two."], ["user", "Thanks."]]);
    const looked = await agent.run(undefined, { session: fromMessages(history.slice(0, 4)) });
    expect(plain(model.requests[1]!.messages).at(-1)).toEqual(["tool", "two"]);
    for (const { status, session } of [talked, looked]) {
      expect(status).toBe("completed");
      assertWellFormed(session.records);
    }
  });

  test("may begin with the assistant, repeat a role, and use ids again", async () => {
    const { agent, model } = agentOn(() => done);
    const again = [...history.slice(1, 4), ...history.slice(1, 4)];
    const session = fromMessages([
      { role: "assistant", content: "Hello." },
      { role: "assistant", content: "What is it?" },
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      ...again,
      { role: "user", content: "c" },
    ]);
    assertWellFormed(session.records, { ended: false });
    await agent.run(undefined, { session });
    expect(plain(model.requests[0]!.messages).slice(0, 4)).toEqual([
      ["Hello.\n\nWhat is it?"],
      ["user", "a"],
      ["user", "b"],
      ["", "look", "look"],
    ]);
  });

  test("may be the prompt of an agent of ours", async () => {
    const first = agentOn([[call("look", { n: 3 })], done]);
    await first.agent.run("Look.");
    const { messages } = first.model.requests[1]!;
    const { agent, model } = agentOn([done]);
    await agent.run("More.", { session: fromMessages(messages) });
    expect(plain(model.requests[0]!.messages).slice(0, messages.length)).toEqual(plain(messages));
  });

  test("keeps the id that it is given, and can be stored as JSON", async () => {
    const { agent } = agentOn(() => done);
    const session = fromMessages(history, "case-7");
    expect(session.id).toBe("case-7");
    const copy = JSON.parse(JSON.stringify(session)) as typeof session;
    expect(copy).toEqual(session);
    expect((await agent.resume(copy)).status).toBe("completed");
  });
});

describe("a list that is no conversation is refused with the index:", () => {
  const user = { role: "user", content: "go" };
  const calls = { role: "assistant", tool_calls: [chatCall("a", "{}"), chatCall("b", "{}")] };
  const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "" });

  test.each<[string, readonly unknown[], string]>([
    ["a call without a result", [user, calls, result("a"), user], "messages[1] has a call without a result: b."],
    ["a call without a result at the end", [user, calls], "messages[1] has a call without a result: a, b."],
    ["a result without a call", [user, result("a")], "messages[1] answers a, and the message before has no such call."],
    ["a second result", [user, calls, result("a"), result("a")], "messages[3] answers a a second time"],
    [
      "a repeated id",
      [user, { ...calls, tool_calls: [chatCall("a", "{}"), chatCall("a", "{}")] }],
      "messages[1] has two",
    ],
    [
      "broken arguments",
      [user, { ...calls, tool_calls: [chatCall("a", "{")] }],
      "messages[1] has the call a, whose arg",
    ],
    ["a system message", [{ role: "system", content: "Be brief." }, user], "messages[0] has the role system"],
    ["an unknown role", [user, { role: "robot", content: "x" }], "messages[1] has the role robot"],
    ["an image", [{ role: "user", content: [{ type: "image_url" }] }], "messages[0] has a part of the type image_url"],
    ["no words", [{ role: "user", content: "" }], "messages[0] has no text"],
    ["an empty reply", [user, { role: "assistant", content: null }], "messages[1] has neither text nor calls"],
    ["no message", [user, null], "messages[1] is no message"],
    ["a call in another form", [user, { role: "assistant", tool_calls: [{ name: "x" }] }], "messages[1] has a call in"],
    ["a nameless result", [user, calls, { role: "tool", content: "x" }], "messages[2] does not say which call"],
    ["nothing", [], "fromMessages needs a list"],
  ])("%s", (_what, messages, words) => {
    expect(() => fromMessages(messages as Parameters<typeof fromMessages>[0])).toThrow(words);
  });
});

test("a run without words and without a session is refused, as before", async () => {
  const { agent } = agentOn([]);
  await expect(agent.run(undefined)).rejects.toThrow("The input of a run must be a text");
});
