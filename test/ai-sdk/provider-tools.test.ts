// Tools that a provider runs itself: their calls are no calls of the agent, whichever way a package reports them.

import { anthropic } from "@ai-sdk/anthropic";
import { google } from "@ai-sdk/google";
import { openai } from "@ai-sdk/openai";
import { anthropic as anthropic7 } from "ai-sdk-7-anthropic";
import { openai as openai7 } from "ai-sdk-7-openai";
import { describe, expect, test } from "vitest";
import { fromAiSdk, type AiSdkModel, type AiSdkOptions } from "../../src/ai-sdk/index.js";
import { createAgent, tool, type Event } from "../../src/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { z } from "zod";
import { makerOf } from "./makers.js";

type Part = Readonly<Record<string, unknown>>;

const start = (id: string, toolName: string, more: Part = {}): Part => ({
  ...{ type: "tool-input-start", id, toolName, ...more },
});
const delta = (id: string, text: string): Part => ({ type: "tool-input-delta", id, delta: text });
const whole = (toolCallId: string, toolName: string, input: string, more: Part = {}): Part => ({
  ...{ type: "tool-call", toolCallId, toolName, input, ...more },
});
const ran = { providerExecuted: true };
const found = (toolCallId: string, toolName: string): Part => ({
  ...{ type: "tool-result", toolCallId, toolName, result: { hits: 1 }, ...ran },
});
const claim = [
  start("c1", "task_completion"),
  delta("c1", '{"result":'),
  whole("c1", "task_completion", '{"result":"found"}'),
];
const finish = (unified = "tool-calls"): Part => ({
  ...{
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  },
});

/** Runs an agent whose model sends these parts in each reply. */
async function run(replies: readonly (readonly Part[])[], options: AiSdkOptions = {}) {
  const asked: { readonly tools?: readonly Part[] }[] = [];
  const model = {
    ...{ specificationVersion: "v4", provider: "xai.responses", modelId: "m" },
    doStream: (request: { readonly tools?: readonly Part[] }) => {
      const parts = replies[asked.push(request) - 1] ?? replies.at(-1)!;
      return Promise.resolve({ stream: streamOf(parts) });
    },
  } as unknown as AiSdkModel;
  const looked: string[] = [];
  const look = tool({
    name: "look",
    description: "Looks",
    input: z.object({ at: z.string() }),
    effect: "read",
    run: ({ at }) => {
      looked.push(at);
      return at;
    },
  });
  const agent = createAgent({
    model: fromAiSdk(model, { steady: false, ...options }),
    tools: [look, taskCompletion()],
    limits: { maxIterations: 3 },
  });
  const events: Event[] = [];
  const outcome = await agent.run("search", { onEvent: (event) => void events.push(event) });
  const failures = events.flatMap((event) =>
    event.type === "call-end" && !event.result.ok ? [event.result.failure?.kind] : [],
  );
  return { outcome, asked, failures, events, looked };
}

function streamOf(parts: readonly Part[]): ReadableStream<Part> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

describe("a call that the provider ran is none of ours, and the claim beside it counts,", () => {
  const search = '{"query":"x"}';
  test.each<[string, readonly Part[]]>([
    [
      "if only its end says so",
      [
        start("s1", "web_search"),
        delta("s1", search),
        whole("s1", "web_search", search, ran),
        found("s1", "web_search"),
        ...claim,
      ],
    ],
    [
      "if its beginning says so",
      [
        start("s1", "web_search", ran),
        delta("s1", search),
        whole("s1", "web_search", search, ran),
        found("s1", "web_search"),
        ...claim,
      ],
    ],
    ["if it comes whole", [whole("s1", "google_search", search, ran), found("s1", "google_search"), ...claim]],
    [
      "behind the claim",
      [...claim, start("s1", "x_search"), whole("s1", "x_search", search, ran), found("s1", "x_search")],
    ],
    [
      "if both arrive at once",
      [
        start("s1", "web_search"),
        claim[0]!,
        delta("s1", search),
        claim[1]!,
        whole("s1", "web_search", search, ran),
        claim[2]!,
        found("s1", "web_search"),
      ],
    ],
    [
      "if several have one id",
      [
        start("s", "web_search"),
        delta("s", search),
        whole("s", "web_search", search, ran),
        start("s", "code_execution"),
        delta("s", "{}"),
        whole("s", "code_execution", "{}", ran),
        ...claim,
      ],
    ],
    ["if its result comes later", [start("s1", "code_execution"), whole("s1", "code_execution", "{}", ran), ...claim]],
    [
      "if it has the name of a tool of ours",
      [start("s1", "look"), delta("s1", search), whole("s1", "look", search, ran), found("s1", "look"), ...claim],
    ],
  ])("%s", async (_how, parts) => {
    const { outcome, asked, failures, looked } = await run([
      [{ type: "stream-start", warnings: [] }, ...parts, finish()],
    ]);
    expect(outcome).toMatchObject({ status: "completed", value: { result: "found" } });
    expect([asked.length, failures, looked]).toEqual([1, [], []]);
  });
});

describe("a call that nobody ran is ours,", () => {
  test("whatever its name is: the model is told that there is no such tool", async () => {
    const slip = [start("c1", "Look!"), delta("c1", "{}"), whole("c1", "serach", "{}"), finish()];
    const { failures } = await run([slip, [...claim, finish()]]);
    expect(failures).toEqual(["unknown_tool"]);
  });

  test("and so is the beginning of a call that has no end", async () => {
    const { failures } = await run([
      [start("c1", "serach"), delta("c1", '{"a":1}'), finish()],
      [...claim, finish()],
    ]);
    expect(failures).toEqual(["unknown_tool"]);
  });

  test("and watchers see it while it arrives, if it is one that the model has", async () => {
    const parts = [
      start("c1", "look"),
      delta("c1", '{"at":'),
      delta("c1", '"b"}'),
      whole("c1", "look", '{"at":"b"}'),
      finish(),
    ];
    const { events, looked } = await run([parts, [...claim, finish()]]);
    const pieces = events.flatMap((event) =>
      event.type === "call-delta" && event.name === "look" ? [event.text] : [],
    );
    expect([pieces, looked]).toEqual([['{"at":', '"b"}'], ["b"]]);
  });
});

describe("providerTools", () => {
  test("go with each request that has tools, behind the agent's", async () => {
    const web = anthropic.tools.webSearch_20250305({ maxUses: 2 });
    const { asked } = await run([[...claim, finish()]], { providerTools: { web_search: web } });
    expect(asked[0]?.tools?.map(({ type, name }) => [type, name])).toEqual([
      ["function", "look"],
      ["function", "task_completion"],
      ["provider", "web_search"],
    ]);
    expect(asked[0]?.tools?.at(-1)).toEqual({
      type: "provider",
      id: "anthropic.web_search_20250305",
      name: "web_search",
      args: { maxUses: 2 },
    });
  });

  test.each([
    ["anthropic", "v3", { web_search: anthropic.tools.webSearch_20250305({ maxUses: 1 }) }, "web_search_20250305"],
    ["anthropic", "v4", { web_search: anthropic7.tools.webSearch_20250305({ maxUses: 1 }) }, "web_search_20250305"],
    ["anthropic", "v4", { code_execution: anthropic7.tools.codeExecution_20250825() }, "code_execution_20250825"],
  ] as const)("reach the wire of %s at %s", async (name, version, providerTools, type) => {
    await using running = await makerOf(name, version).start([
      { calls: [{ name: "task_completion", input: { result: "ok" } }] },
    ]);
    const agent = createAgent({ model: fromAiSdk(running.model, { providerTools }), tools: [taskCompletion()] });
    await agent.run("go");
    expect(JSON.stringify(running.requests[0])).toContain(type);
  });

  test("are those that packages make, of either version", () => {
    const model = {
      specificationVersion: "v4",
      provider: "p",
      modelId: "m",
      doStream: () => undefined,
    } as unknown as AiSdkModel;
    const made: AiSdkOptions["providerTools"][] = [
      { web_search: openai.tools.webSearch({}), code: openai7.tools.codeInterpreter({}) },
      { google_search: google.tools.googleSearch({}) },
    ];
    for (const providerTools of made) expect(() => fromAiSdk(model, { providerTools })).not.toThrow();
    const own = tool({ name: "own", description: "Own", input: z.object({}), run: () => "" });
    expect(() => fromAiSdk(model, { providerTools: { own: own as never } })).toThrow(
      /providerTools.own is no tool that a provider runs/,
    );
  });

  test("with the name of a tool of the agent are refused", async () => {
    const { outcome } = await run([[...claim, finish()]], { providerTools: { look: openai.tools.webSearch({}) } });
    expect(outcome).toMatchObject({
      status: "failed",
      fault: { code: "configuration", message: /both have a tool "look"/ },
    });
  });
});
