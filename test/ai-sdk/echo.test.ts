import { describe, expect, test } from "vitest";
import { fromAiSdk } from "../../src/ai-sdk/index.js";
import type { AiSdkModel } from "../../src/ai-sdk/index.js";
import type { WrittenReply } from "../../src/core/index.js";
import { openai } from "../../src/model/index.js";
import { call, scriptedProvider, type ScriptedReply } from "../../src/testing/index.js";
import { makerOf, type Maker } from "./makers.js";
import { ask, continued, requestOf } from "./request.js";

const thought: ScriptedReply = {
  reasoning: "Look at both.",
  text: "Looking.",
  calls: [call("lookup", { key: "a" }), call("lookup", { key: "b" })],
};

/** The second request after a reply with reasoning, by a model of this maker. */
async function secondRequest(maker: Maker): Promise<{ readonly reply: WrittenReply; readonly body: string }> {
  await using running = await maker.start([thought, "ok"]);
  const model = fromAiSdk(running.model, { steady: false });
  const { reply } = await ask(model);
  // The journal keeps replies as JSON.
  const kept = JSON.parse(JSON.stringify(reply)) as WrittenReply;
  await ask(model, requestOf({ messages: continued(kept) }));
  return { reply: kept, body: JSON.stringify(running.requests[1]?.body) };
}

describe.each(["v3", "v4"] as const)("reasoning goes back to its own provider, at %s", (version) => {
  test("with its signature, before the calls that it led to (Anthropic)", async () => {
    await using running = await makerOf("anthropic", version).start([thought, "ok"]);
    const model = fromAiSdk(running.model, { steady: false });
    const { reply } = await ask(model);
    await ask(model, requestOf({ messages: continued(reply!, { failed: 1 }) }));
    const messages = running.requests[1]?.body["messages"] as readonly { readonly content: unknown }[];
    expect(messages[1]).toMatchObject({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Look at both.", signature: "signature of 1" },
        { type: "text", text: "Looking." },
        { type: "tool_use", id: "toolu_1_0", name: "lookup", input: { key: "a" } },
        { type: "tool_use", id: "toolu_1_1", name: "lookup", input: { key: "b" } },
      ],
    });
    expect(messages[2]).toMatchObject({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1_0", content: "result 0" },
        { type: "tool_result", tool_use_id: "toolu_1_1", content: "result 1", is_error: true },
      ],
    });
    expect(JSON.stringify((messages[2]?.content as readonly unknown[])[0])).not.toContain("is_error");
  });

  test("with the signature on the call that has it (Google)", async () => {
    const { body } = await secondRequest(makerOf("google", version));
    expect(body).toContain('"thoughtSignature":"signature of 1"');
    expect(body.indexOf('"thought":true')).toBeLessThan(body.indexOf('"functionCall"'));
  });

  test("as thinking (Mistral)", async () => {
    const { body } = await secondRequest(makerOf("mistral", version));
    expect(body).toContain('"type":"thinking","thinking":[{"type":"text","text":"Look at both."}]');
  });

  test("encrypted, with the ids of its items (OpenAI's Responses API)", async () => {
    const { body } = await secondRequest(makerOf("openai responses", version));
    expect(body).toMatch(/"encrypted_content":"[^"]+"|"type":"item_reference","id":"rs_1"/);
  });

  test("under its own key (an OpenAI-compatible server)", async () => {
    const { body } = await secondRequest(makerOf("openai-compatible", version));
    expect(body).toContain('"reasoning_content":"Look at both."');
  });

  test.each(["google", "mistral", "openai chat", "openai responses", "openai-compatible"])(
    "and to no other: %s",
    async (other) => {
      const { reply } = await secondRequest(makerOf("anthropic", version));
      await using running = await makerOf(other, version).start(["ok"]);
      const { fault } = await ask(
        fromAiSdk(running.model, { steady: false }),
        requestOf({ messages: continued(reply) }),
      );
      expect(fault).toBeUndefined();
      const body = JSON.stringify(running.requests[0]?.body);
      expect(body).toContain("Looking.");
      expect(body).not.toContain("Look at both.");
      expect(body).not.toContain("signature of 1");
      expect(body).not.toContain("ai_sdk");
    },
  );
});

test("openai() gets nothing of the reasoning of another maker, and its own goes to no other", async () => {
  const { reply } = await secondRequest(makerOf("anthropic", "v4"));
  await using provider = await scriptedProvider([thought, "ok"]);
  const model = openai({ baseURL: provider.url, model: "m", steady: false });
  const own = await ask(model, requestOf({ messages: continued(reply) }));
  expect(JSON.stringify(provider.requests[0]?.body)).not.toMatch(/Look at both|signature|ai_sdk/);
  await using running = await makerOf("anthropic", "v4").start(["ok"]);
  await ask(fromAiSdk(running.model), requestOf({ messages: continued(own.reply!) }));
  expect(JSON.stringify(running.requests[0]?.body)).not.toContain("Look at both.");
});

test("the ids of calls fit a provider that takes nine characters alone", async () => {
  const { reply } = await secondRequest(makerOf("anthropic", "v4"));
  await using running = await makerOf("mistral", "v4").start(["ok"]);
  await ask(fromAiSdk(running.model), requestOf({ messages: continued(reply) }));
  const messages = running.requests[0]?.body["messages"] as readonly {
    readonly tool_calls?: readonly { readonly id: string }[];
    readonly tool_call_id?: string;
  }[];
  const ids = messages.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []);
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(ids);
});

test("a server that refuses the reasoning of earlier replies is asked again without it", async () => {
  const refusal = { status: 400, message: "messages.1: Unrecognized key: reasoning_content" };
  await using running = await makerOf("openai-compatible", "v4").start([thought, refusal, "ok", "ok"]);
  const model = fromAiSdk(running.model, { steady: false });
  const { reply } = await ask(model);
  const { events, fault } = await ask(model, requestOf({ messages: continued(reply!) }));
  expect(fault).toBeUndefined();
  expect(events).toContainEqual({ type: "prompt-rewrite", reason: "extras" });
  await ask(model, requestOf({ messages: continued(reply!) }));
  const bodies = running.requests.map(({ body }) => JSON.stringify(body).includes("reasoning_content"));
  expect(bodies).toEqual([false, true, false, false]);
});

describe("parts that are no text, no reasoning and no call to run", () => {
  const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: {} };

  /** A model that sends these parts, and remembers what it was asked. */
  function sending(...parts: readonly object[]): { readonly model: AiSdkModel; readonly asked: readonly object[] } {
    const asked: object[] = [];
    const doStream = (options: object): Promise<{ readonly stream: ReadableStream<object> }> => {
      asked.push(options);
      const stream = new ReadableStream<object>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return Promise.resolve({ stream });
    };
    return { model: { specificationVersion: "v4", provider: "p", modelId: "m", doStream }, asked };
  }

  test("go back in their places: work of a tool that the provider ran, files and its own kinds", async () => {
    const { model, asked } = sending(
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "1", providerMetadata: { p: { itemId: "msg_1" } } },
      { type: "text-delta", id: "1", delta: "Searching. " },
      { type: "tool-call", toolCallId: "s1", toolName: "search", input: '{"q":"x"}', providerExecuted: true },
      {
        type: "tool-result",
        toolCallId: "s1",
        toolName: "search",
        result: { hits: 2 },
        providerMetadata: { p: { a: 1 } },
      },
      { type: "file", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) },
      { type: "custom", kind: "p.note", providerMetadata: { p: { note: "n" } } },
      { type: "source", sourceType: "url", id: "u", url: "https://example.org" },
      { type: "text-start", id: "2" },
      { type: "text-delta", id: "2", delta: "Found." },
      { type: "tool-call", toolCallId: "c1", toolName: "lookup", input: '{"key":"a"}' },
      finish,
    );
    const source = fromAiSdk(model, { steady: false });
    const { reply } = await ask(source);
    expect(reply).toMatchObject({ text: "Searching. Found.", calls: [{ name: "lookup", input: { key: "a" } }] });
    await ask(source, requestOf({ messages: continued(JSON.parse(JSON.stringify(reply)) as WrittenReply) }));
    const { prompt } = asked[1] as { readonly prompt: readonly { readonly content: unknown }[] };
    expect(prompt[2]).toEqual({
      role: "assistant",
      content: [
        { type: "text", text: "Searching. ", providerOptions: { p: { itemId: "msg_1" } } },
        { type: "tool-call", toolCallId: "s1", toolName: "search", input: { q: "x" }, providerExecuted: true },
        {
          type: "tool-result",
          toolCallId: "s1",
          toolName: "search",
          output: { type: "json", value: { hits: 2 } },
          providerOptions: { p: { a: 1 } },
        },
        { type: "file", mediaType: "image/png", data: "AQID" },
        { type: "custom", kind: "p.note", providerOptions: { p: { note: "n" } } },
        { type: "text", text: "Found." },
        { type: "tool-call", toolCallId: "c1", toolName: "lookup", input: { key: "a" } },
      ],
    });
  });

  test("end the run with advice if the provider asks for an approval", async () => {
    const { model } = sending({ type: "tool-approval-request", approvalId: "a", toolCallId: "s1" }, finish);
    const { fault } = await ask(fromAiSdk(model, { steady: false }));
    expect(fault).toMatchObject({ code: "provider_rejected" });
    expect((fault as Error).message).toContain("Turn its approvals off");
  });

  test("keep two calls of one id apart, and give each its own", async () => {
    const one = (key: string): object[] => [
      { type: "tool-input-start", id: "", toolName: "lookup" },
      { type: "tool-input-delta", id: "", delta: `{"key":"${key}"}` },
    ];
    const whole = (key: string): object => ({
      type: "tool-call",
      toolCallId: "",
      toolName: "lookup",
      input: `{"key":"${key}"}`,
    });
    const { model } = sending(...one("a"), ...one("b"), whole("a"), whole("b"), finish);
    const { reply, events } = await ask(fromAiSdk(model, { steady: false }));
    expect(reply?.calls.map((each) => each.type === "call" && each.input)).toEqual([{ key: "a" }, { key: "b" }]);
    expect(events).toMatchObject([{ index: 0 }, { index: 1 }]);
  });

  test.each([
    ["no finish part", []],
    ["an error", [{ type: "finish", finishReason: { unified: "error", raw: undefined } }]],
    ["an interruption", [{ type: "finish", finishReason: { unified: "interrupted", raw: undefined } }]],
    ["no reason of the provider", [{ type: "finish", finishReason: { unified: "other", raw: undefined } }]],
    ["no reason at all", [{ type: "finish" }]],
  ])("are no reply if they end with %s", async (_what, ending) => {
    const { model } = sending(
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Half" },
      ...ending,
    );
    const { reply, fault, events } = await ask(fromAiSdk(model, { steady: false }));
    expect(reply).toBeUndefined();
    expect(fault).toMatchObject({ code: "provider_unavailable" });
    expect(events.at(-1)).toMatchObject({ type: "reply-retracted" });
  });

  test("with a finish reason of the provider's own are a reply", async () => {
    const ended = { type: "finish", finishReason: { unified: "other", raw: "pause_turn" } };
    const { model } = sending({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Well." }, ended);
    expect((await ask(fromAiSdk(model, { steady: false }))).reply).toMatchObject({ text: "Well.", finish: "complete" });
  });

  test("show a call that was cut as one", async () => {
    const ended = { type: "finish", finishReason: { unified: "length", raw: "max_tokens" } };
    const { model } = sending(
      { type: "tool-input-start", id: "c", toolName: "lookup" },
      { type: "tool-input-delta", id: "c", delta: '{"key":"a' },
      ended,
    );
    const { reply } = await ask(fromAiSdk(model, { steady: false }));
    expect(reply).toMatchObject({
      finish: "cut",
      calls: [{ type: "unreadable-call", kind: "truncated", source: '{"key":"a' }],
    });
  });
});
