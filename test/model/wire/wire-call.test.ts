import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fromAiSdk, type AiSdkModel } from "../../../src/ai-sdk/index.js";
import type { Call, Reply } from "../../../src/core/index.js";
import { createAgent, noUsage, tool } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { fallback, openai } from "../../../src/model/index.js";
import { idsOf, wireId } from "../../../src/model/wire/wire-call.js";
import { scriptedProvider, type ProviderRequest } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

const look = tool({ name: "look", description: "Looks", input: z.object({}), effect: "read", run: () => "seen" });
const kimi = "functions.look:0";

/** The ids that a request has, of calls and of results. */
function idsIn({ body }: ProviderRequest): readonly string[] {
  const items = [...body.messages, ...((body["input"] ?? []) as readonly object[])];
  return items.flatMap((item) => {
    const {
      tool_calls: calls = [],
      tool_call_id: result,
      call_id: id,
    } = item as {
      readonly tool_calls?: readonly { readonly id: string }[];
      readonly tool_call_id?: string;
      readonly call_id?: string;
    };
    return [...calls.map((call) => call.id), ...[result, id].filter((each) => each !== undefined)];
  });
}

function replyOf(from?: string): Reply {
  return { text: "", calls: [], finish: "complete", usage: noUsage, ...(from !== undefined && { from }) };
}

const callOf = (providerId?: string, id = "s/1/call:1:0"): Call => ({
  type: "call",
  id,
  name: "look",
  input: {},
  ...(providerId !== undefined && { providerId }),
});

describe("an id that another server gave went out unchanged, and strict servers refuse it", () => {
  it.each([
    ["of Kimi's form", kimi, "gpt-5 https://api.openai.com/v1"],
    ["with spaces", "call 1", "m https://api.anthropic.com/v1"],
    ["of 41 characters, for chat completions", "a".repeat(41), "gpt-5 https://api.openai.com/v1"],
    [
      "of OpenAI's form, for Mistral",
      "call_PTLP8xhu3uwZk4l3nlnrrJha",
      "mistral-large-latest https://api.mistral.ai/v1",
    ],
    ["of OpenAI's form, for Mistral's model elsewhere", "call_1", "mistralai/Devstral-Small http://127.0.0.1:8000/v1"],
  ])("%s", (_form, given, to) => {
    const sent = wireId(callOf(given), replyOf("kimi-k2 https://api.moonshot.ai/v1"), new Set(), idsOf(to, 40));
    expect(sent).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(wireId(callOf(given), replyOf(), new Set(), idsOf(to, 40))).toBe(sent);
  });

  it.each([
    ["that fits", "call_PTLP8xhu3uwZk4l3nlnrrJha", undefined, 40],
    ["that fits the Responses API", "a".repeat(64), undefined, 64],
    ["of the receiver's own", kimi, "gpt-5 https://api.openai.com/v1", 40],
  ] as const)("but one %s stays itself", (_form, given, from, longest) => {
    const takes = idsOf("gpt-5 https://api.openai.com/v1", longest);
    expect(wireId(callOf(given), replyOf(from), new Set(), takes)).toBe(given);
  });

  it("and no two calls of a request get one id, whatever was given", () => {
    const taken = new Set<string>();
    const takes = idsOf("m", 40);
    const given = [kimi, kimi, undefined, "call_1", "call_1", "x".repeat(100)];
    const ids = given.map((id, index) => wireId(callOf(id, `s/1/call:1:${String(index)}`), replyOf(), taken, takes));
    expect(new Set(ids).size).toBe(given.length);
  });
});

describe("a session that goes on elsewhere", () => {
  it.each(["chat", "responses"] as const)(
    "sends ids that every server takes over %s, and the giver gets its own back",
    async (api) => {
      await using first = await scriptedProvider([
        { calls: [{ name: "look", input: {}, id: kimi }] },
        { calls: [{ name: "ask_question", input: { question: "Go on?" }, id: "functions.ask_question:1" }] },
        { calls: [{ name: "task_completion", input: { result: "x" }, id: "c" }] },
      ]);
      await using second = await scriptedProvider([
        { calls: [{ name: "ask_question", input: { question: "More?" }, id: "q2" }] },
      ]);
      const store = memoryStore();
      const run = (url: string, input: string, over: "chat" | "responses") =>
        createAgent({
          model: openai({ baseURL: url, api: over, model: "m", steady: false }),
          tools: [look, askQuestion(), taskCompletion()],
        }).run(input, { session: openSession({ store, id: "s" }) });
      await run(first.url, "go", "chat");
      expect(idsIn(first.requests[1]!)).toEqual([kimi, kimi]);
      expect((await run(second.url, "yes", api)).status).toBe("waiting");
      const [one, two, ...others] = idsIn(second.requests[0]!);
      expect(one).toMatch(/^[A-Za-z0-9]{9}$/);
      expect([two, others.length, others[0]]).toEqual([one, 2, others[1]]);
      expect((await run(first.url, "yes", "chat")).status).toBe("completed");
      expect(idsIn(first.requests[2]!).slice(0, 4)).toEqual([
        kimi,
        kimi,
        "functions.ask_question:1",
        "functions.ask_question:1",
      ]);
    },
  );

  it("is one run with fallback, which failed when the second model was asked", async () => {
    await using first = await scriptedProvider([{ calls: [{ name: "look", input: {}, id: kimi }] }, { status: 503 }]);
    await using second = await scriptedProvider([{ calls: [{ name: "task_completion", input: { result: "x" } }] }]);
    const models = [first, second].map(({ url }) => openai({ baseURL: url, model: "m", steady: false }));
    const outcome = await createAgent({ model: fallback(models), tools: [look, taskCompletion()] }).run("go");
    expect(outcome.status).toBe("completed");
    expect(idsIn(second.requests[0]!).every((id) => /^[A-Za-z0-9]{9}$/.test(id))).toBe(true);
    expect(JSON.stringify(outcome.session.records)).toContain(`"providerId":"${kimi}"`);
  });

  it("keeps an own id of another form through a provider's package too", async () => {
    const asked: { readonly prompt: readonly { readonly content: readonly { readonly toolCallId?: string }[] }[] }[] =
      [];
    const doStream: AiSdkModel["doStream"] = (options: (typeof asked)[number]) => {
      asked.push(options);
      const [name, id] = asked.length === 1 ? ["look", kimi] : ["task_completion", "c"];
      const input = asked.length === 1 ? "{}" : '{"result":"x"}';
      const parts = [
        { type: "stream-start", warnings: [] },
        { type: "tool-call", toolCallId: id, toolName: name, input },
        { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage: {} },
      ];
      return Promise.resolve({ stream: ReadableStream.from(parts) });
    };
    const model = fromAiSdk(
      { specificationVersion: "v4", provider: "moonshot", modelId: "k", doStream },
      { steady: false },
    );
    await createAgent({ model, tools: [look, taskCompletion()] }).run("go");
    const ids = asked[1]?.prompt.flatMap(({ content }) =>
      Array.isArray(content) ? content.flatMap((part) => (part as { toolCallId?: string }).toolCallId ?? []) : [],
    );
    expect(ids).toEqual([kimi, kimi]);
  });
});
