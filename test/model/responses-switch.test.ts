import { describe, expect, it, test } from "vitest";
import { createAgent, tool, type Agent, type Event, type Outcome, type Session } from "../../src/index.js";
import { openai, type OpenAIOptions } from "../../src/model/index.js";
import {
  assertPrefixStable,
  assertWellFormed,
  assertWellFormedRequest,
  call,
  scriptedProvider,
  type ScriptedProvider,
  type Step,
} from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const unwilling: Step = {
  status: 400,
  message:
    "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. Please use /v1/responses instead, or set reasoning_effort to 'none'.",
};
const done = call("task_completion", { result: "done" });
const lookups = (...keys: readonly string[]): Step => ({
  reasoning: `I look up ${keys.join()}.`,
  text: "Looking.",
  calls: keys.map((key) => call("lookup", { key })),
});

interface Stage extends AsyncDisposable {
  readonly provider: ScriptedProvider;
  readonly events: Event[];
  /** The keys that the tool looked up. */
  readonly ran: string[];
  readonly agent: (options?: OpenAIOptions) => Agent<readonly never[]>;
  readonly run: (options?: OpenAIOptions, session?: Session) => Promise<Outcome>;
}

async function stage(script: readonly Step[]): Promise<Stage> {
  const provider = await scriptedProvider(script);
  const events: Event[] = [];
  const ran: string[] = [];
  const lookup = tool({
    name: "lookup",
    description: "Looks up.",
    input: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
    effect: "read",
    run: (input) => {
      ran.push(String(input["key"]));
      return "found";
    },
  });
  const tools = [lookup, taskCompletion()];
  const agent: Stage["agent"] = (options = {}) => {
    const model = openai({ baseURL: provider.url, model: "scripted", steady: false, ...options });
    return createAgent({ model, tools, earlyStart: false }) as unknown as Agent<readonly never[]>;
  };
  return {
    provider,
    events,
    ran,
    agent,
    run: (options, session) =>
      agent(options).run("Look a up.", {
        onEvent: (event) => void events.push(event),
        ...(session !== undefined && { session }),
      }),
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

/** The last part of the path of each request. */
function paths({ provider }: Stage): readonly string[] {
  return provider.requests.map(({ path }) => path.replace(/.*\//, ""));
}

function reasons({ events }: Stage): readonly string[] {
  return events.flatMap((event) => (event.type === "request-adjusted" ? [event.reason] : []));
}

/** Fails if a request is not well-formed for every server, or if a prompt is rewritten without an event. */
function assertSound({ provider, events }: Stage): void {
  for (const { body } of provider.requests) assertWellFormedRequest(body);
  assertPrefixStable(provider.requests, events);
}

describe("a model that takes no tools together with reasoning over chat completions", () => {
  it("is asked over the Responses API at once, and from then on; it is said once", async () => {
    await using on = await stage([unwilling, lookups("a"), lookups("b"), [done]]);
    const agent = on.agent({ params: { reasoning_effort: "low", max_completion_tokens: 99 } });
    const { status } = await agent.run("Look a up.", { onEvent: (event) => void on.events.push(event) });
    expect(status).toBe("completed");
    expect(paths(on)).toEqual(["completions", "responses", "responses", "responses"]);
    expect(on.provider.requests[0]?.body).toMatchObject({ reasoning_effort: "low", max_completion_tokens: 99 });
    expect(on.provider.requests[1]?.body).toMatchObject({ reasoning: { effort: "low" }, max_output_tokens: 99 });
    expect(reasons(on)).toEqual([expect.stringContaining("over the Responses API")]);
    expect(on.events.filter(({ type }) => type === "circuit-failure")).toEqual([]);
    assertSound(on);
  });

  it("remembers it for the model's next run, and its requests side by side all find the way", async () => {
    await using on = await stage([unwilling, unwilling, [done], [done], [done]]);
    const agent = on.agent();
    const outcomes = await Promise.all([agent.run("one"), agent.run("two")]);
    outcomes.push(await agent.run("three"));
    expect(outcomes.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    expect(paths(on)).toEqual(["completions", "completions", "responses", "responses", "responses"]);
  });

  it.each([404, 405, 501])("is asked without reasoning where the server has no Responses API: %i", async (status) => {
    await using on = await stage([unwilling, { status, message: "Not here." }, lookups("a"), [done]]);
    expect(await on.run()).toMatchObject({ status: "completed" });
    expect(paths(on)).toEqual(["completions", "responses", "completions", "completions"]);
    expect(on.provider.requests.map(({ body }) => body["reasoning_effort"])).toEqual([
      undefined,
      undefined,
      "none",
      "none",
    ]);
    expect(reasons(on)).toEqual([
      expect.stringContaining("over the Responses API"),
      expect.stringContaining('reasoning_effort "none"'),
    ]);
    assertSound(on);
  });

  it("is not asked in circles: refused without reasoning, too, it gets its tools in the prompt", async () => {
    await using on = await stage([unwilling, { status: 404 }, unwilling, { status: 400, message: "No." }]);
    expect(await on.run()).toMatchObject({ status: "failed", fault: { code: "provider_rejected" } });
    expect(paths(on)).toEqual(["completions", "responses", "completions", "completions"]);
    expect(on.provider.requests.map(({ body }) => "tools" in body)).toEqual([true, true, true, false]);
  });

  it("stays with chat completions where that is pinned", async () => {
    await using on = await stage([unwilling, lookups("a"), [done]]);
    expect(await on.run({ api: "chat" })).toMatchObject({ status: "completed" });
    expect(paths(on)).toEqual(["completions", "completions", "completions"]);
    expect(on.provider.requests[1]?.body["reasoning_effort"]).toBe("none");
    expect(on.events.filter(({ type }) => type === "prompt-rewrite")).toEqual([]);
    assertSound(on);
  });
});

describe("the Responses API, pinned", () => {
  it("is all that is asked, also where it is missing", async () => {
    await using on = await stage([[done], { status: 404 }, { status: 400, message: "reasoning_effort" }]);
    expect(await on.run({ api: "responses" })).toMatchObject({ status: "completed" });
    for (const _ of [1, 2]) expect(await on.run({ api: "responses" })).toMatchObject({ status: "failed" });
    expect(paths(on)).toEqual(["responses", "responses", "responses"]);
    expect(reasons(on)).toEqual([]);
  });

  it("goes down the ladder as chat completions do; XML goes over those", async () => {
    const objection: Step = { status: 400, message: "tool_choice 'required' is not supported" };
    const useless: Step = { status: 400, message: "this model does not support tools" };
    await using on = await stage([objection, lookups("a"), useless, "words"]);
    await on.run({ api: "responses" }).catch(() => undefined);
    expect(paths(on).slice(0, 4)).toEqual(["responses", "responses", "responses", "completions"]);
    expect(on.provider.requests.slice(0, 2).map(({ body }) => body.tool_choice)).toEqual(["required", "auto"]);
    expect(on.provider.requests[1]?.body["instructions"]).toContain("function call");
    const xml = on.provider.requests[3]?.body;
    expect(xml).not.toHaveProperty("tools");
    expect(JSON.stringify(xml)).not.toContain("responses_output");
  });

  it("echoes encrypted reasoning, words and calls as they came, in every later request", async () => {
    await using on = await stage([lookups("a"), lookups("b", "c"), lookups("d"), [done]]);
    const outcome = await on.run({ api: "responses" });
    expect(outcome.status).toBe("completed");
    assertWellFormed(outcome.session.records);
    assertSound(on);
    const input = on.provider.requests[3]?.body.input ?? [];
    expect(input.map(({ type, role }) => type ?? role)).toEqual([
      "user",
      ...["reasoning", "message", "function_call", "function_call_output"],
      ...["reasoning", "message", "function_call", "function_call", "function_call_output", "function_call_output"],
      ...["reasoning", "message", "function_call", "function_call_output"],
    ]);
    const thoughts = input.filter(({ type }) => type === "reasoning");
    expect(thoughts).toEqual(
      ["a", "b,c", "d"].map((keys, index) => ({
        id: `rs_${String(index + 1)}`,
        type: "reasoning",
        encrypted_content: `encrypted rs_${String(index + 1)}`,
        summary: [{ type: "summary_text", text: `I look up ${keys}.` }],
      })),
    );
    expect(input[3]).toEqual({
      id: "fc_1_0",
      type: "function_call",
      call_id: "call_1_0",
      name: "lookup",
      status: "completed",
      arguments: '{"key":"a"}',
    });
  });

  it("runs nothing of a reply that was cut, wherever that was, nor at the limit", async () => {
    const reply = { text: "Now.", calls: [call("lookup", { key: "a" })] };
    await using one = await stage([reply]);
    const asked = { method: "POST", body: JSON.stringify({ input: [], stream: true }) };
    const whole = await (await fetch(`${one.provider.url}/responses`, asked)).arrayBuffer();
    // The last event counts even if the empty line after it is missing.
    for (let cutAfter = whole.byteLength - 3; cutAfter >= 0; cutAfter -= 83) {
      for (const cut of ["end", "reset"] as const) {
        await using on = await stage([{ ...reply, cut, cutAfter }]);
        const outcome = await on.run({ api: "responses" });
        expect(outcome).toMatchObject({ status: "failed", fault: { code: "provider_unavailable" } });
        expect(on.ran).toEqual([]);
      }
    }
    await using on = await stage([{ ...reply, cut: "reset" }, { ...reply, finishReason: "length" }, [done]]);
    expect(await on.run({ api: "responses", steady: { firstDelay: 1 } })).toMatchObject({ status: "completed" });
    expect(on.ran).toEqual([]);
    expect(JSON.stringify(on.provider.requests[2]?.body.input)).toContain("call_2_0");
    for (const { body } of on.provider.requests) assertWellFormedRequest(body);
  });

  it("makes the same journal of any split of the bytes", async () => {
    const journals = new Set<string>();
    for (const split of [1, 2, 7, 64, 100_000]) {
      await using on = await stage([{ ...(lookups("å😀") as object), split, piece: 2 }, [done]]);
      const { session } = await on.run({ api: "responses" });
      const timeless = (key: string, value: unknown): unknown =>
        ["at", "asked", "elapsed", "nonce", "life"].includes(key) ? 0 : value;
      journals.add(
        JSON.stringify(session.records, timeless)
          .replaceAll(session.id, "id")
          .replaceAll(/"id\/[a-z0-9]{6}\//g, '"id/life/')
          .replaceAll(on.provider.url, "url"),
      );
    }
    expect(journals.size).toBe(1);
  });
});

test.each<["chat" | "responses", "chat" | "responses"]>([
  ["chat", "responses"],
  ["responses", "chat"],
])("a session that began over %s goes on over %s, with requests that every server takes", async (first, second) => {
  const broken: Step = [call("lookup", '{"key": '), call("lookup", { key: "b" })];
  await using on = await stage([lookups("a"), broken, [done], lookups("c"), [done], lookups("d"), [done]]);
  const { session } = await on.run({ api: first });
  const { session: later } = await on.run({ api: second }, session);
  const outcome = await on.run({ api: first }, later);
  expect(outcome.status).toBe("completed");
  expect(on.ran).toEqual(["a", "b", "c", "d"]);
  assertWellFormed(outcome.session.records);
  for (const { body } of on.provider.requests) assertWellFormedRequest(body);
  const sent = on.provider.requests.map(({ body }) => JSON.stringify(body));
  expect(sent.join()).not.toContain("responses_output");
  for (const [index, { path }] of on.provider.requests.entries()) {
    expect(sent[index]?.includes(path.endsWith("responses") ? "reasoning_content" : "encrypted_content")).toBe(false);
  }
  expect(sent.at(-1)).toContain(first === "chat" ? "reasoning_content" : "encrypted rs_");
});

test("another model does not get reasoning that it can't read", async () => {
  await using on = await stage([lookups("a"), [done], lookups("b"), [done]]);
  const { session } = await on.run({ api: "responses" });
  await on.run({ api: "responses", model: "another" }, session);
  const third = on.provider.requests[2]?.body.input ?? [];
  expect(third.filter(({ type }) => type === "reasoning")).toEqual([]);
  expect(third.filter(({ type }) => type === "function_call")).toHaveLength(2);
  const last = on.provider.requests[3]?.body.input ?? [];
  expect(last.filter(({ type }) => type === "reasoning")).toMatchObject([{ id: "rs_3" }]);
  for (const { body } of on.provider.requests) assertWellFormedRequest(body);
});
