import { context, diag, trace } from "@opentelemetry/api";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { postEdit } from "../../src/checks/index.js";
import {
  createAgent,
  LastcallError,
  tool,
  type Agent,
  type AgentOptions,
  type Check,
  type Deciding,
  type Hook,
  type Model,
  type Tool,
} from "../../src/index.js";
import { fallback, openai, steady } from "../../src/model/index.js";
import { callIdOf } from "../../src/otel/data/ids.js";
import { otel, reportErrors, traceOf, type Tracer } from "../../src/otel/index.js";
import { allowAll } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";
import { call, scriptedModel, scriptedProvider, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { idOf, keepMetrics, keepSpans, parentOf, withContexts, type KeptSpans } from "./tracing.js";

withContexts();

const done = [call("task_completion", { result: "Done." })];

/** Opens a span as an instrumented database does: under the span that is active. */
async function query(spans: KeptSpans, name: string): Promise<void> {
  const span = spans.tracer.startSpan(`db ${name}`, {}, context.active());
  await new Promise((resolve) => setTimeout(resolve, 5));
  span.end(performance.timeOrigin + performance.now());
}

/** Tools that ask a database, as a promise and as a generator. */
function databaseTools(spans: KeptSpans): readonly Tool[] {
  const input = z.object({ n: z.string() });
  return [
    tool({
      name: "peek",
      description: "Peeks.",
      effect: "read",
      input,
      run: async ({ n }) => {
        await query(spans, n);
        return "peeked";
      },
    }),
    tool({
      name: "walk",
      description: "Walks.",
      effect: "none",
      input,
      run: async function* ({ n }) {
        await query(spans, `${n} first`);
        yield "half of the way";
        await query(spans, `${n} second`);
        return "walked";
      },
    }),
    taskCompletion(),
  ];
}

/** An agent with the hook, whose calls are all allowed. */
async function watched(
  spans: KeptSpans,
  script: Script,
  options: Partial<AgentOptions<readonly Tool[]>> & { readonly content?: boolean } = {},
): Promise<Agent> {
  const { content, hooks = [], ...rest } = options;
  const hook = await otel({ agent: "clerk", tracer: spans.tracer, content });
  const defaults = { model: scriptedModel(script), tools: databaseTools(spans), permission: allowAll() };
  return createAgent({ ...defaults, ...rest, hooks: [hook, ...hooks] });
}

const check = (passes: () => boolean): Check => ({
  name: "npm test",
  verify: () => (passes() ? { passed: true, output: "all is well" } : { passed: false, output: "one test fails" }),
});

describe("the spans of a run", () => {
  test("are the run, its requests, its calls, and its checks within the claim that they are for", async () => {
    const spans = keepSpans();
    let runs = 0;
    const agent = await watched(spans, [[call("peek", { n: "a" })], done, done], { checks: [check(() => ++runs > 2)] });
    const outcome = await agent.run("go");
    expect(outcome).toMatchObject({ status: "completed", verified: "checked" });
    expect(spans.tree()).toEqual([
      "invoke_agent clerk",
      "  lastcall.check npm test",
      "  chat scripted",
      "  execute_tool peek",
      "    db a",
      "  chat scripted",
      "  execute_tool task_completion",
      "    lastcall.check npm test",
      "  chat scripted",
      "  execute_tool task_completion",
      "    lastcall.check npm test",
    ]);
    const [refused, accepted] = spans.spans().filter(({ name }) => name === "execute_tool task_completion");
    expect(refused?.attributes).toMatchObject({ "error.type": "check_failed", "lastcall.claim": "refused" });
    expect(refused?.status.code).toBe(2);
    expect(accepted?.attributes).toMatchObject({ "lastcall.claim": "accepted" });
    expect(spans.named("invoke_agent clerk").attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "clerk",
      "gen_ai.conversation.id": outcome.session.id,
      "lastcall.outcome": "completed",
      "lastcall.by": "task_completion",
      "lastcall.verified": "checked",
      "lastcall.iterations": 3,
    });
  });

  test("have the right parents under reads that run side by side, under generators, and after a yield", async () => {
    const spans = keepSpans();
    const calls = [
      call("peek", { n: "one" }),
      call("peek", { n: "two" }),
      call("peek", { n: "three" }),
      call("walk", { n: "four" }),
    ];
    const agent = await watched(spans, [calls, done]);
    await agent.run("go");
    expect(spans.tree()).toEqual([
      "invoke_agent clerk",
      "  chat scripted",
      "  execute_tool peek",
      "    db one",
      "  execute_tool peek",
      "    db two",
      "  execute_tool peek",
      "    db three",
      "  execute_tool walk",
      "    db four first",
      "    db four second",
      "  chat scripted",
      "  execute_tool task_completion",
    ]);
  });

  test("of an agent in a tool are within the span of the call, and those of the run within the span of the host", async () => {
    const spans = keepSpans();
    const inner = await watched(spans, [[call("peek", { n: "inside" })], done]);
    const ask = tool({
      name: "ask",
      description: "Asks an agent.",
      effect: "none",
      input: z.object({}),
      run: async (_input, { child }) => (await inner.run("look", { session: await child() })).status,
    });
    const agent = await watched(spans, [[call("ask")], done], { tools: [ask, taskCompletion()] });
    const host = spans.tracer.startSpan("GET /", {}, context.active());
    await context.with(trace.setSpan(context.active(), host as never), () => agent.run("go"));
    host.end(performance.timeOrigin + performance.now());
    expect(spans.tree()).toEqual([
      "GET /",
      "  invoke_agent clerk",
      "    chat scripted",
      "    execute_tool ask",
      "      invoke_agent clerk",
      "        chat scripted",
      "        execute_tool peek",
      "          db inside",
      "        chat scripted",
      "        execute_tool task_completion",
      "    chat scripted",
      "    execute_tool task_completion",
    ]);
    expect(new Set(spans.spans().map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  test("of two runs at once do not mix", async () => {
    const spans = keepSpans();
    const make = (): Promise<Agent> => watched(spans, [[call("walk", { n: "x" }), call("peek", { n: "y" })], done]);
    const [one, two] = await Promise.all([make(), make()]);
    await Promise.all([one.run("go"), two.run("go")]);
    const tree = [
      "invoke_agent clerk",
      "  chat scripted",
      "  execute_tool walk",
      "    db x first",
      "    db x second",
      "  execute_tool peek",
      "    db y",
      "  chat scripted",
      "  execute_tool task_completion",
    ];
    expect(spans.tree()).toEqual([...tree, ...tree]);
  });

  test("of a request hold the retries as events, the tokens, and the time to the first chunk", async () => {
    await using provider = await scriptedProvider([
      { status: 503, message: "busy" },
      { calls: done, usage: { inputTokens: 90, cachedInputTokens: 40, outputTokens: 10, reasoningTokens: 3 } },
    ]);
    const spans = keepSpans();
    const model = openai({ baseURL: provider.url, model: "m", steady: { firstDelay: 1 } });
    const agent = await watched(spans, [], { model });
    expect((await agent.run("go")).status).toBe("completed");
    const chat = spans.named("chat m");
    expect(chat.events.map(({ name, attributes }) => [name, attributes?.["lastcall.attempt"]])).toEqual([
      ["lastcall.retry", 1],
    ]);
    expect(chat.kind).toBe(2);
    expect(chat.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": new URL(provider.url).host,
      "gen_ai.request.model": "m",
      "gen_ai.usage.input_tokens": 90,
      "gen_ai.usage.cache_read.input_tokens": 40,
      "gen_ai.usage.output_tokens": 10,
      "gen_ai.usage.reasoning.output_tokens": 3,
      "gen_ai.response.finish_reasons": ["tool_call"],
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
      "lastcall.iteration": 1,
    });
    expect(chat.status.code).toBe(0);
  });

  test("of a request name the model and the response that the provider reported, also with a fallback", async () => {
    await using busy = await scriptedProvider(() => ({ status: 503, message: "busy" }));
    await using provider = await scriptedProvider([{ calls: done }]);
    const spans = keepSpans();
    const at = (url: string, name: string): Model => openai({ baseURL: url, model: name, steady: false });
    const agent = await watched(spans, [], { model: fallback([at(busy.url, "m"), at(provider.url, "n")]) });
    const { status, session } = await agent.run("go");
    expect(status).toBe("completed");
    const record = session.records.find(({ type }) => type === "reply");
    expect(record).toMatchObject({ reply: { model: "n", served: { model: "scripted", id: "chatcmpl-1" } } });
    const [chat] = spans.spans().filter(({ name }) => name.startsWith("chat "));
    expect(chat?.attributes).toMatchObject({
      "gen_ai.request.model": "m or n",
      "gen_ai.response.model": "scripted",
      "gen_ai.response.id": "chatcmpl-1",
    });
  });

  test("of a call have the description of its tool", async () => {
    const spans = keepSpans();
    const look = tool({
      ...{ name: "look", description: "Looks into the pot." },
      ...{ effect: "read", input: z.object({}), run: () => "soup" },
    });
    const agent = await watched(spans, [[call("look", {}), call("sniff", {})], done], {
      tools: [look, taskCompletion()],
    });
    const { session } = await agent.run("go");
    const of = (name: string): unknown => spans.named(name).attributes["gen_ai.tool.description"];
    expect(of("execute_tool look")).toBe("Looks into the pot.");
    expect(of("execute_tool sniff")).toBeUndefined();
    const told = traceOf(session).find(({ name }) => name === "execute_tool look");
    expect(told?.attributes["gen_ai.tool.description"]).toBe("Looks into the pot.");
  });

  test("of a request that failed for good, and of its run, have the code of the fault", async () => {
    await using provider = await scriptedProvider([{ status: 401, message: "no such key" }]);
    const spans = keepSpans();
    const agent = await watched(spans, [], { model: openai({ baseURL: provider.url, model: "m", apiKey: "sk-none" }) });
    expect((await agent.run("go")).status).toBe("failed");
    for (const name of ["chat m", "invoke_agent clerk"]) {
      expect(spans.named(name).attributes["error.type"]).toBe("authentication");
      expect(spans.named(name).status).toEqual({ code: 2 });
    }
  });

  test("end with the run when it is aborted in the middle of a call, and none is left open", async () => {
    const spans = keepSpans();
    const abort = new AbortController();
    const hang = tool({
      name: "hang",
      description: "Hangs.",
      effect: "read",
      input: z.object({}),
      run: (_input, { signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reject(signal.reason as Error);
          });
          abort.abort();
        }),
    });
    const agent = await watched(spans, [[call("hang")]], { tools: [hang, taskCompletion()] });
    expect((await agent.run("go", { signal: abort.signal })).status).toBe("aborted");
    expect(spans.tree()).toEqual(["invoke_agent clerk", "  chat scripted", "  execute_tool hang"]);
    expect(spans.named("execute_tool hang").attributes["error.type"]).toBe("interrupted");
    expect(spans.named("invoke_agent clerk").attributes["lastcall.outcome"]).toBe("aborted");
  });

  test("end with the run when the stream is left during a request", async () => {
    const spans = keepSpans();
    const agent = await watched(spans, [{ text: "words ".repeat(50), delay: 20, calls: done }]);
    for await (const event of agent.stream("go")) if (event.type === "text-delta") break;
    expect(spans.tree()).toEqual(["invoke_agent clerk", "  chat scripted"]);
    expect(spans.named("chat scripted").attributes["lastcall.interrupted"]).toBe(true);
  });

  test("name a failed call by the kind of its failure, also one that no tool ever saw", async () => {
    const spans = keepSpans();
    const agent = await watched(spans, [[call("nothing", {})], [call("peek", { n: 7 })], done]);
    expect((await agent.run("go")).status).toBe("completed");
    expect(spans.named("execute_tool nothing").attributes["error.type"]).toBe("unknown_tool");
    expect(spans.named("execute_tool peek").attributes["error.type"]).toBe("invalid_arguments");
  });

  test("of a check that an edit causes are within the call, and so is what the next hook opens", async () => {
    const spans = keepSpans();
    const write = tool({
      name: "write_file",
      description: "Writes.",
      effect: "write",
      input: z.object({ path: z.string() }),
      run: () => "written",
    });
    const lint = postEdit([{ name: "lint", files: "**/*.ts", command: "true {file}" }], { cwd: import.meta.dirname });
    const agent = await watched(spans, [[call("write_file", { path: "otel.test.ts" })], done], {
      tools: [write, taskCompletion()],
      hooks: [lint],
    });
    expect((await agent.run("go")).status).toBe("completed");
    expect(spans.tree()).toEqual([
      "invoke_agent clerk",
      "  chat scripted",
      "  execute_tool write_file",
      "    lastcall.check lint",
      "  chat scripted",
      "  execute_tool task_completion",
    ]);
  });

  test("are whole without a context manager: only the spans of tools have no parent then", async () => {
    context.disable();
    try {
      const spans = keepSpans();
      const agent = await watched(spans, [[call("peek", { n: "a" })], done]);
      await agent.run("go");
      // Two roots may begin in the same millisecond, in any order.
      expect(spans.tree().filter((line) => line !== "db a")).toEqual([
        "invoke_agent clerk",
        "  chat scripted",
        "  execute_tool peek",
        "  chat scripted",
        "  execute_tool task_completion",
      ]);
      expect(spans.tree()).toContain("db a");
    } finally {
      const { AsyncLocalStorageContextManager } = await import("@opentelemetry/context-async-hooks");
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    }
  });
});

describe("content", () => {
  const secret = "hunter2-hunter2";
  const key = `sk-proj-${"a1B2c3D4".repeat(6)}`;

  /** A run in which the secret and the key stand wherever texts can stand. */
  async function secretive(spans: KeptSpans, content: boolean): Promise<string> {
    const leak = tool({
      name: "leak",
      description: `Knows ${secret}.`,
      effect: "read",
      input: z.object({ password: z.string() }),
      run: ({ password }) => {
        if (password === "throw") throw new Error(`the database said ${secret} and ${key}`);
        return `found ${secret} and ${key}`;
      },
    });
    const checks = [
      { name: `test --token ${secret}`, verify: () => ({ passed: true, output: `ok ${secret} ${key}` }) },
    ];
    const script: Script = [
      {
        text: `I know ${secret} and ${key}`,
        calls: [call("leak", { password: secret }), call("leak", { password: "throw" })],
      },
      [call(`tool_${secret}`)],
      [call("task_completion", { result: `It is ${secret}, or ${key}.` })],
    ];
    const agent = await watched(spans, script, {
      tools: [leak, taskCompletion()],
      checks,
      instructions: `The password is ${secret}.`,
      secrets: { values: [secret] },
      content,
    });
    const outcome = await agent.run(`Use ${secret} and ${key}.`);
    expect(outcome.status).toBe("completed");
    return JSON.stringify(
      spans.spans().map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
    );
  }

  test("is not recorded by default: neither words nor arguments nor results", async () => {
    const told = await secretive(keepSpans(), false);
    for (const words of [secret, key, "I know", "found", "Use ", "password", "ok ", "database"]) {
      expect(told).not.toContain(words);
    }
  });

  test("is recorded on demand, and a planted secret appears nowhere in it", async () => {
    const spans = keepSpans();
    const told = await secretive(spans, true);
    for (const words of [secret, key]) expect(told).not.toContain(words);
    for (const words of ["I know", "found", "Use ", "The password is", "the database said", "ok ", "It is"]) {
      expect(told).toContain(words);
    }
    const [first] = spans.spans().filter(({ name }) => name === "chat scripted");
    const messages = JSON.parse(String(first?.attributes["gen_ai.input.messages"])) as unknown;
    expect(messages).toMatchObject([
      { role: "user", parts: [{ type: "text", content: "Use [redacted: value] and [redacted: key]." }] },
      { role: "user", parts: [{ type: "text", content: expect.stringContaining("Before you began") }] },
    ]);
  });
});

describe("the messages of a reply", () => {
  test.each([false, true])(
    "have its reasoning, and the ids of its calls: from the journal %s",
    async (isFromJournal) => {
      await using provider = await scriptedProvider([
        { reasoning: "It is dark.", text: "I look.", calls: done, piece: 4 },
      ]);
      const spans = keepSpans();
      const model = openai({ baseURL: provider.url, model: "m" });
      const { session } = await (await watched(spans, [], { model, content: true })).run("go");
      const chat = isFromJournal
        ? traceOf(session, { content: true }).find(({ name }) => name === "chat m")
        : spans.named("chat m");
      expect(JSON.parse(String(chat?.attributes["gen_ai.output.messages"]))).toEqual([
        {
          role: "assistant",
          finish_reason: "tool_call",
          parts: [
            { type: "reasoning", content: "It is dark." },
            { type: "text", content: "I look." },
            {
              type: "tool_call",
              id: spans.named("execute_tool task_completion").attributes["gen_ai.tool.call.id"],
              name: "task_completion",
              arguments: expect.any(Object),
            },
          ],
        },
      ]);
    },
  );

  test.each([
    ["s/1/model:3", "s/1/call:3:1"],
    ["s/l/1/model:3:k3f9", "s/l/1/call:3:1:k3f9"],
    ["s/1/model:closing", "s/1/call:3:1"],
    ["s/1/model:closing:k3f9", "s/1/call:3:1:k3f9"],
  ])("have the ids of calls by the key of the request: %s", (request, id) => {
    expect(callIdOf(request, 3, 1)).toBe(id);
  });
});

describe("a question to an approver", () => {
  const pay = tool({ name: "pay", description: "Pays.", effect: "network", input: z.object({}), run: () => "paid" });
  const tools = [pay, taskCompletion()];
  const askings = (spans: KeptSpans, name = "execute_tool pay") =>
    spans.named(name).events.filter(({ name }) => name === "lastcall.call_asking");
  const waits = (allowed: boolean) => async () => {
    // Much longer than what is expected: a busy machine sees the question late.
    await new Promise((resolve) => setTimeout(resolve, 300));
    return allowed;
  };

  test.each([true, false])(
    "is an event of its call's span, with the time waited; the answer is %s",
    async (allowed) => {
      const spans = keepSpans();
      const permission = askFirst(waits(allowed));
      const agent = await watched(spans, [[call("pay")], done], { tools, permission });
      await agent.run("go");
      const [asking, ...others] = askings(spans);
      expect(others).toEqual([]);
      expect(Object.keys(asking?.attributes ?? {})).toEqual(["lastcall.waited"]);
      expect(asking?.attributes?.["lastcall.waited"]).toBeGreaterThanOrEqual(55);
      expect(asking?.attributes?.["lastcall.waited"]).toBeLessThan(5000);
      expect(spans.named("execute_tool task_completion").events).toEqual([]);
    },
  );

  test("has why it was asked and the rule with content alone, without secrets", async () => {
    const spans = keepSpans();
    const key = `sk-proj-${"Ab3".repeat(16)}`;
    const permission = {
      decide: (_call: never, { announce }: Deciding) => {
        announce?.({ why: `it pays with ${key}`, rule: `pay(${key})` });
        return { allowed: true, reason: "fine" };
      },
    };
    const agent = await watched(spans, [[call("pay")], done], {
      tools,
      permission: permission as never,
      content: true,
    });
    await agent.run("go");
    const told = JSON.stringify(askings(spans));
    expect(told).toContain("it pays with [redacted");
    expect(told).toContain("pay([redacted");
    expect(told).not.toContain("Ab3Ab3");
  });

  test("that an abort ends has its event as well, and one that is parked has none, since its call has no span yet", async () => {
    const spans = keepSpans();
    const stop = new AbortController();
    const permission = askFirst(() => {
      setTimeout(() => {
        stop.abort();
      }, 30);
      return new Promise<never>(() => undefined);
    });
    await (await watched(spans, [[call("pay")]], { tools, permission })).run("go", { signal: stop.signal });
    expect(askings(spans)).toHaveLength(1);
    const later = keepSpans();
    const parking = askFirst(() => ({ later: true, reason: "tomorrow" })) as never;
    await (await watched(later, [[call("pay")]], { tools, permission: parking })).run("go");
    expect(JSON.stringify(later.spans().map(({ events }) => events))).not.toContain("call_asking");
  });
});

describe("the metrics of runs", () => {
  test("are durations, tokens, iterations, endings, retries, refused claims, circuits and cost", async () => {
    const { meter, points } = keepMetrics();
    const usage = { inputTokens: 100, cachedInputTokens: 0, outputTokens: 20, reasoningTokens: 0 };
    const prices = { scripted: { input: 10, output: 100 } };
    const hook = await otel({ agent: "clerk", meter });
    const tools = [...databaseTools(keepSpans())];
    let runs = 0;
    const whole: Script = [
      { calls: done, usage },
      { calls: done, usage },
    ];
    const first = createAgent({
      model: steady(scriptedModel([{ status: 503, message: "busy" }, ...whole]), { firstDelay: 1 }),
      tools,
      checks: [check(() => ++runs > 2)],
      limits: { prices },
      hooks: [hook],
    });
    expect((await first.run("go")).status).toBe("completed");
    const stuck = createAgent({
      model: scriptedModel([[call("peek", {})], [call("peek", {})]]),
      tools,
      circuit: { identical: 2 },
      hooks: [hook],
    });
    expect(await stuck.run("go")).toMatchObject({ status: "stopped", reason: "circuit_open" });

    const found = await points();
    const about = {
      "gen_ai.agent.name": "clerk",
      "gen_ai.provider.name": "scripted:",
      "gen_ai.request.model": "scripted",
    };
    const of = (name: string): readonly (readonly [unknown, object])[] =>
      found
        .filter((point) => point.name === name)
        .map(({ value, attributes }) => {
          expect(attributes).toMatchObject(about);
          const own = Object.entries(attributes).filter(([key]) => !(key in about));
          return [value, Object.fromEntries(own)];
        });
    const completed = { "lastcall.outcome": "completed" };
    const stopped = { "lastcall.outcome": "stopped", "error.type": "circuit_open" };
    expect(of("lastcall.runs")).toEqual([
      [1, completed],
      [1, stopped],
    ]);
    expect(of("lastcall.run.iterations")).toEqual([
      [{ count: 1, sum: 2 }, completed],
      [{ count: 1, sum: 2 }, stopped],
    ]);
    expect(of("lastcall.run.cost")).toEqual([[{ count: 1, sum: expect.closeTo(0.006) }, completed]]);
    expect(of("lastcall.claims.refused")).toEqual([
      [1, { "gen_ai.tool.name": "task_completion", "error.type": "check_failed" }],
    ]);
    expect(of("lastcall.circuit.openings")).toEqual([
      [1, { "error.type": "invalid_arguments", "gen_ai.tool.name": "peek" }],
    ]);
    expect(of("lastcall.request.retries")).toEqual([[1, {}]]);
    expect(of("gen_ai.client.token.usage")).toEqual([
      [
        { count: 2, sum: 200 },
        { "gen_ai.operation.name": "chat", "gen_ai.token.type": "input" },
      ],
      [
        { count: 2, sum: 40 },
        { "gen_ai.operation.name": "chat", "gen_ai.token.type": "output" },
      ],
    ]);
    expect(of("gen_ai.client.operation.duration")).toMatchObject([[{ count: 4 }, { "gen_ai.operation.name": "chat" }]]);
    expect(of("lastcall.check.duration")).toMatchObject([
      [{ count: 2 }, { "lastcall.check": "npm test", "lastcall.passed": false }],
      [{ count: 1 }, { "lastcall.check": "npm test", "lastcall.passed": true }],
    ]);
    expect(of("lastcall.call.duration").map(([, attributes]) => attributes)).toEqual([
      { "gen_ai.tool.name": "task_completion", "error.type": "check_failed" },
      { "gen_ai.tool.name": "task_completion" },
      { "gen_ai.tool.name": "peek", "error.type": "invalid_arguments" },
    ]);
    const units = new Map(found.map(({ name, unit }) => [name, unit]));
    expect(Object.fromEntries(units)).toMatchObject({
      "gen_ai.client.operation.duration": "s",
      "gen_ai.client.token.usage": "{token}",
      "lastcall.runs": "{run}",
      "lastcall.run.duration": "s",
    });
  });
});

describe("otel()", () => {
  test("needs no provider: without one a run is as it is without the hook", async () => {
    const agent = createAgent({ model: scriptedModel([done]), tools: [taskCompletion()], hooks: [await otel()] });
    expect((await agent.run("go")).status).toBe("completed");
  });

  test("never fails a run: an error of the SDK is reported, and only the first", async () => {
    const reported: string[] = [];
    await reportErrors((message) => reported.push(message));
    onTestFinished(() => {
      diag.disable();
    });
    const broken = {
      startSpan: () => {
        throw new Error("the SDK is broken");
      },
    };
    const hook = await otel({ tracer: broken });
    const agent = createAgent({ model: scriptedModel([done, done]), tools: [taskCompletion()], hooks: [hook] });
    expect((await agent.run("go")).status).toBe("completed");
    expect((await agent.run("again")).status).toBe("completed");
    expect(reported).toEqual(["the SDK is broken"]);
  });

  test("never fails a run that is under way either", async () => {
    const spans = keepSpans();
    let left = 2;
    const tracer: Tracer = {
      startSpan: (...given) => {
        if ((left -= 1) < 0) throw new Error("the SDK broke");
        return spans.tracer.startSpan(...given);
      },
    };
    const hook = await otel({ tracer });
    const model = scriptedModel([[call("peek", { n: "a" })], done]);
    const agent = createAgent({ model, tools: databaseTools(spans), hooks: [hook] });
    expect((await agent.run("go")).status).toBe("completed");
    expect(spans.tree().slice(0, 2)).toEqual(["invoke_agent", "  chat scripted"]);
  });

  test("passes on the faults of other hooks, and ends its spans", async () => {
    const spans = keepSpans();
    const hook: Hook = {
      async *call() {
        throw new LastcallError("configuration", "no calls today");
      },
    };
    const agent = await watched(spans, [[call("peek", { n: "a" })]], { hooks: [hook] });
    expect(await agent.run("go")).toMatchObject({ status: "failed", fault: { code: "configuration" } });
    expect(spans.tree()).toEqual(["invoke_agent clerk", "  chat scripted", "  execute_tool peek"]);
  });

  test("begins a span of the part that goes on after a pause, and knows that it is one", async () => {
    const spans = keepSpans();
    const later = { decide: () => ({ later: true, reason: "ask the boss" }) as const };
    const permission = { decide: (one: never, { approval }: { approval?: unknown }) => approval ?? later.decide() };
    const hook = await otel({ tracer: spans.tracer });
    const agent = createAgent({
      model: scriptedModel([[call("peek", { n: "a" })], done]),
      tools: databaseTools(spans),
      permission: permission as never,
      hooks: [hook],
    });
    const waiting = await agent.run("go");
    expect(waiting.status).toBe("waiting");
    expect(spans.tree()).toEqual(["invoke_agent", "  chat scripted"]);
    const first = spans.named("invoke_agent");
    expect(first.events.map(({ name }) => name)).toEqual(["lastcall.call_parked"]);
    const again = { session: waiting.session, answers: (waiting as unknown as { id: string }).id };
    await agent.run({ allowed: true }, again);
    const second = spans.spans().filter(({ name }) => name === "invoke_agent")[1]!;
    expect(second.attributes).toMatchObject({
      "lastcall.resumed": true,
      "lastcall.key": first.attributes["lastcall.key"],
    });
    expect(parentOf(spans.named("execute_tool peek"))).toBe(idOf(second));
  });
});
