import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { openai } from "../../src/model/index.js";
import { call, scriptedProvider, type Step } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { agentOn, assertPaired, prompt } from "./agent-on.js";

const done = call("task_completion", { result: "all done" });

describe("a provider's trouble that may pass is tried again, and the model never hears of it:", () => {
  test.each<[string, Step]>([
    ["429 with Retry-After", { status: 429, headers: { "retry-after": "0" } }],
    ["500", { status: 500 }],
    ["503", { status: 503 }],
    ["a stream cut before the finish reason", { text: "I will", calls: [done], cut: "end" }],
    ["a stream cut in the middle of a chunk", { calls: [done], cut: "end", cutAfter: 200 }],
    ["a reset in the middle of the stream", { text: "I will", calls: [done], cut: "reset" }],
    ["a stream that ends before it began", { calls: [done], cut: "end", cutAfter: 0 }],
  ])("%s", async (_what, trouble) => {
    await using stage = await agentOn([trouble, [done]]);
    const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
    expect(outcome).toMatchObject({ status: "completed", iterations: 1 });
    expect(stage.types()).toContain("request-retry");
    expect(stage.types()).not.toContain("circuit-failure");
    expect(stage.provider.requests).toHaveLength(2);
    expect(stage.provider.requests[1]!.body).toEqual(stage.provider.requests[0]!.body);
    expect(JSON.stringify(outcome.session.records)).not.toContain("I will");
  });
});

test("what was shown of a reply that broke off is withdrawn by an event", async () => {
  await using stage = await agentOn([{ text: "Half a sen", cut: "reset" }, [done]]);
  await stage.agent.run("go", { onEvent: stage.onEvent });
  const order = stage.events.map(({ type }) => type);
  expect(order.indexOf("text-delta")).toBeLessThan(order.indexOf("reply-retracted"));
  expect(order.indexOf("reply-retracted")).toBeLessThan(order.indexOf("request-retry"));
});

test("a call is run once although its first reply broke off after it was whole", async () => {
  const script: Step[] = [
    { calls: [call("lookup", { key: "a" })], cut: "end" },
    [call("lookup", { key: "a" })],
    [done],
  ];
  await using stage = await agentOn(script);
  await stage.agent.run("go", { onEvent: stage.onEvent });
  expect(stage.events.filter(({ type }) => type === "call-start")).toHaveLength(2);
});

test("a wait that the provider asks for is kept", async () => {
  await using stage = await agentOn([{ status: 429, headers: { "retry-after-ms": "120" } }, [done]]);
  const began = Date.now();
  await stage.agent.run("go", { onEvent: stage.onEvent });
  expect(Date.now() - began).toBeGreaterThanOrEqual(115);
  expect(stage.events).toContainEqual(expect.objectContaining({ type: "request-retry", attempt: 1, delay: 120 }));
});

test("four attempts, then the run fails with the fault, and the session can go on", async () => {
  const down: Step = { status: 500, message: "overloaded" };
  await using stage = await agentOn([down, down, down, down, [done]]);
  const outcome = await stage.agent.run("go");
  if (outcome.status !== "failed") throw new Error(outcome.status);
  expect(outcome.fault).toMatchObject({ code: "provider_unavailable", status: 500 });
  expect(outcome.fault.message).toContain("overloaded");
  expect(outcome.fault.message).toContain("tried 4 times");
  expect(await stage.agent.run("again", { session: outcome.session })).toMatchObject({ status: "completed" });
  expect(prompt(stage.provider, 5).slice(1)).toEqual(["user: go", "user: again"]);
});

test("401 fails at once as an authentication fault that says what to do", async () => {
  await using stage = await agentOn([{ status: 401, message: "Incorrect API key provided" }]);
  const outcome = await stage.agent.run("go");
  if (outcome.status !== "failed") throw new Error(outcome.status);
  expect(outcome.fault).toMatchObject({ code: "authentication", status: 401 });
  expect(outcome.fault.message).toContain("Check the key");
  expect(stage.provider.requests).toHaveLength(1);
});

test("a refused connection is retried and then told with its address", async () => {
  const gone = await scriptedProvider([]);
  await gone.close();
  const model = openai({ baseURL: gone.url, steady: { firstDelay: 1 } });
  const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("go");
  if (outcome.status !== "failed") throw new Error(outcome.status);
  expect(outcome.fault.code).toBe("provider_unavailable");
  expect(outcome.fault.message).toContain(gone.url);
  expect(outcome.fault.message).toContain("ECONNREFUSED");
});

test("five identical failures open the provider's circuit for all its users, and nothing more is sent", async () => {
  await using stage = await agentOn(
    () => ({ status: 500 }),
    {},
    { steady: { firstDelay: 1, circuit: { pause: 60_000 } } },
  );
  await stage.agent.run("one");
  const outcome = await stage.agent.run("two");
  expect(outcome).toMatchObject({ status: "failed", fault: { code: "provider_circuit_open" } });
  expect(stage.provider.requests).toHaveLength(5);
  const other = openai({ baseURL: stage.provider.url, steady: { circuit: { pause: 60_000 } } });
  const third = await createAgent({ model: other, tools: [taskCompletion()] }).run("three");
  expect(third).toMatchObject({ status: "failed", fault: { code: "provider_circuit_open" } });
  expect(stage.provider.requests).toHaveLength(5);
});

test("a silent server is given up after the idle timeout and asked again", async () => {
  await using stage = await agentOn([{ text: "…", pause: 400, calls: [done] }, [done]], {}, { idleTimeout: 100 });
  const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
  expect(outcome.status).toBe("completed");
  expect(stage.events).toContainEqual(
    expect.objectContaining({ type: "request-retry", reason: expect.stringContaining("nothing for 0.1 s") }),
  );
});

test("a server that never begins to answer is given up after the idle timeout, too", async () => {
  await using stage = await agentOn([{ calls: [done], delay: 2000 }, [done]], {}, { idleTimeout: 100 });
  expect(await stage.agent.run("go", { onEvent: stage.onEvent })).toMatchObject({ status: "completed" });
  expect(stage.types()).toContain("request-retry");
});

test("time that a slow reader takes is not counted against the server", async () => {
  await using stage = await agentOn(
    [{ text: "word word word", piece: 5, pause: 20, calls: [done] }],
    {},
    { idleTimeout: 150 },
  );
  const types: string[] = [];
  for await (const { type } of stage.agent.stream("go")) {
    types.push(type);
    if (type === "text-delta") await new Promise((resolve) => setTimeout(resolve, 250));
  }
  expect(types).not.toContain("request-retry");
  expect(types.at(-1)).toBe("run-end");
});

test("the known 400 of newer models is answered once with reasoning_effort none where the API is pinned to chat, said, and remembered", async () => {
  const refusal: Step = {
    status: 400,
    message:
      "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. Please use /v1/responses instead, or set reasoning_effort to 'none'.",
  };
  await using stage = await agentOn([refusal, [call("lookup", { key: "a" })], [done]], {}, { api: "chat" });
  const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
  expect(outcome.status).toBe("completed");
  expect(stage.provider.requests.map(({ body }) => body["reasoning_effort"])).toEqual([undefined, "none", "none"]);
  expect(stage.events.filter(({ type }) => type === "request-adjusted")).toHaveLength(1);
  expect(stage.types()).not.toContain("request-retry");
});

test("the request forces a call by the plain word, streams, and carries the caller's own parameters", async () => {
  await using stage = await agentOn([[done]], { instructions: "Be brief." }, { params: { temperature: 0, top_k: 3 } });
  await stage.agent.run("go");
  const { body } = stage.provider.requests[0]!;
  expect(body).toMatchObject({
    model: "scripted",
    tool_choice: "required",
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0,
    top_k: 3,
  });
  expect(body.messages[0]).toMatchObject({ role: "system", content: expect.stringContaining("Be brief.") });
});

test("usage is summed with its cached part, and reasoning is carried back verbatim", async () => {
  const usage = { inputTokens: 100, cachedInputTokens: 60, outputTokens: 10, reasoningTokens: 4 };
  await using stage = await agentOn([
    { reasoning: "hmm, let me", piece: 4, calls: [call("lookup", { key: "a" })], usage },
    { calls: [done], usage },
  ]);
  const outcome = await stage.agent.run("go", { onEvent: stage.onEvent });
  expect(outcome.usage).toEqual({ inputTokens: 200, cachedInputTokens: 120, outputTokens: 20, reasoningTokens: 8 });
  expect(stage.provider.requests[1]!.body.messages[2]).toMatchObject({
    role: "assistant",
    reasoning_content: "hmm, let me",
  });
  const thought = stage.events.flatMap((event) => (event.type === "reasoning-delta" ? [event.text] : [])).join("");
  expect(thought).toBe("hmm, let me");
});

test("any split of the bytes gives the same reply", async () => {
  const reply = { text: "Grüße 👋", calls: [call("lookup", { key: 'å\n"😀"' }), call("lookup", { key: "b" })] };
  const records: string[] = [];
  for (const split of [1, 2, 3, 7, 64, 100_000]) {
    await using stage = await agentOn([{ ...reply, split, piece: 3 }, [done]]);
    const outcome = await stage.agent.run("go");
    const { id } = outcome.session;
    const { life } = outcome.session.records[0] as { readonly life: string };
    const timeless = (key: string, value: unknown): unknown => (["at", "asked", "elapsed"].includes(key) ? 0 : value);
    records.push(JSON.stringify(outcome.session.records, timeless).replaceAll(id, "id").replaceAll(life, "life"));
  }
  expect(new Set(records).size).toBe(1);
  expect(records[0]).toContain("Grüße 👋");
});

test("the key goes with the request it is for", async () => {
  await using stage = await agentOn([[done]], {}, { apiKey: "sk-own" });
  await stage.agent.run("go");
  expect(stage.provider.requests[0]!.headers.authorization).toBe("Bearer sk-own");
  assertPaired(stage.provider);
});
