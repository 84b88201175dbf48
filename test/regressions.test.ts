// What broke once, each under the name of what broke.

import { APIError } from "openai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type AgentOptions, type Session } from "../src/index.js";
import { maskVolatile } from "../src/core/internal.js";
import { transcript } from "../src/memory/index.js";
import { accumulator } from "../src/model/wire/accumulate.js";
import { faultOf } from "../src/model/http/provider-fault.js";
import { openai } from "../src/model/index.js";
import { SseReader } from "../src/model/http/sse.js";
import { call, scriptedModel } from "../src/testing/index.js";
import { taskCompletion } from "../src/tools/index.js";

const done = call("task_completion", { result: "done" });

test("a long message whose numbers differ in length had two signatures", () => {
  const rest = "ab ".repeat(2000);
  expect(maskVolatile(`took 9 ms ${rest}`)).toBe(maskVolatile(`took 10 ms ${rest}`));
});

test("a number of seven digits was taken for hex, and an ordinary folder for a temporary one", () => {
  expect(maskVolatile("size 1000000")).toBe(maskVolatile("size 999999"));
  expect(maskVolatile("0.1234567 s")).toBe(maskVolatile("0.12 s"));
  expect(maskVolatile("/home/u/folders/a.ts")).not.toBe(maskVolatile("/home/u/folders/b.ts"));
  expect(maskVolatile("in /tmp/a-x/b")).toBe(maskVolatile("in /tmp/q"));
  expect(maskVolatile("in /var/folders/x/y")).toBe(maskVolatile("in /tmp/q"));
});

describe("bad numbers and shapes were thrown as a TypeError, or hung:", () => {
  const model = scriptedModel([]);
  test.each<[string, () => unknown, string]>([
    ["no options", () => createAgent(undefined as unknown as AgentOptions<[]>), "{ model, tools }"],
    ["no tools", () => createAgent({ model } as unknown as AgentOptions<[]>), "tools being a list"],
    [
      "a tool's timeout of Infinity",
      () => createAgent({ model, tools: [{ ...taskCompletion(), timeout: Infinity }] }),
      'timeout of tool "task_completion"',
    ],
    [
      "an idle timeout of NaN",
      () => openai({ baseURL: "http://127.0.0.1:1/v1", idleTimeout: NaN }),
      "idleTimeout is NaN",
    ],
    [
      "attempts of NaN",
      () => openai({ baseURL: "http://127.0.0.1:1/v1", steady: { attempts: NaN } }),
      "attempts is NaN",
    ],
    [
      "a field to stream that is no text",
      () => createAgent({ model, tools: [{ ...taskCompletion(), input: z.object({ result: z.number() }) }] }),
      "name a text field",
    ],
  ])("%s", (_what, make, words) => {
    expect(make).toThrow(expect.objectContaining({ code: "configuration", message: expect.stringContaining(words) }));
  });

  test.each<[string, readonly unknown[]]>([
    ["a record that is null", [null]],
    ["a reply without its reply", [{ seq: 0, at: 0, type: "reply", iteration: 1 }]],
    ["a type of record that there is not", [{ seq: 0, at: 0, type: "nonsense" }]],
  ])("a session with %s", async (_what, records) => {
    const session = { version: 1, id: "s", records } as Session;
    const agent = createAgent({ model, tools: [taskCompletion()] });
    await expect(agent.run("go", { session })).rejects.toMatchObject({ code: "configuration" });
  });
});

test("a throttled request was taken for an overflow of the context", () => {
  const error = APIError.generate(
    429,
    { error: { message: "Too many tokens, please wait." } },
    undefined,
    new Headers(),
  );
  expect(faultOf(error, "here").code).toBe("provider_unavailable");
});

test("a mistake of our own was retried as the provider's", () => {
  expect(faultOf(new TypeError("x is not a function"), "here").code).toBe("bug");
  expect(faultOf(new TypeError("terminated"), "here").code).toBe("provider_unavailable");
});

test("an unreadable retry-after-ms hid the Retry-After beside it", () => {
  const wait = (headers: Record<string, string>): number | undefined =>
    faultOf(APIError.generate(429, {}, undefined, new Headers(headers)), "here").retryAfterMs;
  expect(wait({ "retry-after-ms": "soon", "retry-after": "5" })).toBe(5000);
  expect(wait({ "retry-after": "" })).toBeUndefined();
});

test("a tool that throws with a BigInt in its arguments ended the run", async () => {
  const count = tool({
    name: "count",
    description: "Counts",
    input: z.object({ n: z.coerce.bigint() }),
    run: () => {
      throw new Error("too many");
    },
  });
  const model = scriptedModel([[call("count", { n: 1 })], [done]]);
  expect(await createAgent({ model, tools: [count, taskCompletion()] }).run("go")).toMatchObject({
    status: "completed",
  });
});

test("a claim whose value JSON can't write was kept in a session that JSON can't write", async () => {
  let tries = 0;
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const finish = tool({
    name: "finish",
    description: "Finishes",
    input: z.object({}),
    isLoopBreaking: true,
    run: () => [circle, () => "a function", { small: 1 }][tries++] as { small: number },
  });
  const outcome = await createAgent({
    model: scriptedModel(() => [call("finish")]),
    tools: [finish],
  }).run("go");
  expect(outcome).toMatchObject({ status: "completed", value: { small: 1 }, iterations: 3 });
  expect(JSON.stringify(outcome.session)).toContain("can't be written as JSON");
});

test.each([
  ["Map", new Map([[1, 2]])],
  ["Promise", { user: [Promise.resolve("Ada")] }],
  ["Error", { seen: new Error("gone") }],
  ["Headers", { headers: new Headers({ a: "b" }) }],
])("a %s in what a tool returned reached the model as {}, without a word", async (kind, value) => {
  const look = tool({ name: "look", description: "Looks", input: z.object({}), run: () => value });
  const rich = tool({
    name: "rich",
    description: "Fine",
    input: z.object({}),
    run: () => ({ none: {}, list: [[{}]] }),
  });
  const model = scriptedModel([[call("look"), call("rich")], [call("task_completion", { result: "ok" })]]);
  const { session } = await createAgent({ model, tools: [look, rich, taskCompletion()] }).run("go");
  const results = session.records.flatMap((record) => (record.type === "result" ? [record.result] : []));
  expect(results[0]?.text).toContain(`what it returned can't be written as JSON: there is no JSON for a ${kind}.`);
  expect(results[1]?.text).toBe('{"none":{},"list":[[{}]]}');
});

test("the example in the words for invalid arguments did not fit the schema itself", async () => {
  const send = tool({
    name: "send",
    description: "Sends",
    input: z.object({ to: z.email(), when: z.enum(["now", "later"]) }),
    run: () => "sent",
  });
  const model = scriptedModel([[call("send", {})], [done]]);
  await createAgent({ model, tools: [send, taskCompletion()] }).run("go");
  const last = model.requests.at(-1)?.messages.at(-1);
  expect(JSON.stringify(last)).toContain("that fit this schema");
  expect(JSON.stringify(last)).toContain('\\"format\\":\\"email\\"');
});

test("an empty event of a stream was read as broken JSON", () => {
  const events = new SseReader().write(Buffer.from('data:\n\ndata: {"a":1}\n\ndata:\n\n'));
  expect(events.map(({ data }) => data)).toEqual(['{"a":1}']);
});

test("two calls with one id and two indices were run together, and a content in parts was lost", () => {
  const reply = accumulator();
  const piece = (index: number, name: string): object => ({ index, id: "same", function: { name, arguments: "{}" } });
  reply.add({
    choices: [{ delta: { content: [{ type: "text", text: "Hm" }], tool_calls: [piece(0, "a"), piece(1, "b")] } }],
  });
  const { text, calls } = reply.message() ?? {};
  expect(text).toBe("Hm");
  expect(calls?.map(({ name, arguments: args }) => name + args)).toEqual(["a{}", "b{}"]);
});

test("a prompt that had never been shown was said to be rewritten", async () => {
  const model = scriptedModel(["words", [done]]);
  const agent = createAgent({ model, tools: [taskCompletion()], circuit: { identical: 1 }, memory: transcript });
  const first = await agent.run("one");
  const types: string[] = [];
  await agent.run("two", { session: first.session, onEvent: ({ type }) => void types.push(type) });
  expect(types).not.toContain("prompt-rewrite");
});
