import { describe, expect, test } from "vitest";
import { fromAiSdk, type AiSdkModel } from "../../src/ai-sdk/index.js";
import type { WrittenReply } from "../../src/core/index.js";
import { ask, continued, requestOf } from "./request.js";

describe("parts of a stream", () => {
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

  test("name the model that was served and the id of the response, in one part or in several", async () => {
    const reply = async (...parts: readonly object[]): Promise<WrittenReply | undefined> =>
      (await ask(fromAiSdk(sending({ type: "stream-start", warnings: [] }, ...parts, finish).model, { steady: false })))
        .reply;
    const part = (more: object): object => ({ type: "response-metadata", ...more });
    const served = { model: "m-2026-01-02", id: "r1" };
    expect((await reply(part({ id: "r1", modelId: "m-2026-01-02" })))?.served).toEqual(served);
    expect((await reply(part({ id: "r1" }), part({ modelId: "m-2026-01-02" })))?.served).toEqual(served);
    expect(await reply(part({ id: "", modelId: undefined }))).not.toHaveProperty("served");
  });

  test("had a long number rounded: arguments that were parsed on the way keep the digits of their text", async () => {
    const written = '{"key":9007199254740993}';
    const { model } = sending(
      { type: "stream-start", warnings: [] },
      { type: "tool-input-start", id: "c1", toolName: "lookup" },
      { type: "tool-input-delta", id: "c1", delta: written },
      { type: "tool-call", toolCallId: "c1", toolName: "lookup", input: JSON.parse(written) as object },
      finish,
    );
    const { reply } = await ask(fromAiSdk(model, { steady: false }));
    expect(reply).toMatchObject({ calls: [{ input: { key: "9007199254740993" } }] });
  });

  test("that are no text and no call to run go back in their places: work of the provider's tools, files, its own kinds", async () => {
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

  test("that are only the beginning of a result, or empty reasoning, do not go back, and signed reasoning does", async () => {
    const result = (hits: number, more: object = {}): object => ({
      ...{ type: "tool-result", toolCallId: "s1", toolName: "search", result: { hits }, ...more },
    });
    const { model, asked } = sending(
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-end", id: "1" },
      { type: "reasoning-start", id: "2" },
      { type: "reasoning-end", id: "2", providerMetadata: { p: { signature: "x" } } },
      { type: "tool-call", toolCallId: "s1", toolName: "search", input: "{}", providerExecuted: true },
      result(1, { preliminary: true }),
      result(2),
      { type: "tool-call", toolCallId: "c1", toolName: "lookup", input: '{"key":"a"}' },
      finish,
    );
    const source = fromAiSdk(model, { steady: false });
    const { reply } = await ask(source);
    await ask(source, requestOf({ messages: continued(JSON.parse(JSON.stringify(reply)) as WrittenReply) }));
    const { prompt } = asked[1] as { readonly prompt: readonly { readonly content: readonly object[] }[] };
    const content = prompt[2]!.content as readonly { readonly type: string; readonly output?: object }[];
    expect(content.map(({ type }) => type)).toEqual(["reasoning", "tool-call", "tool-result", "tool-call"]);
    expect(content[0]).toMatchObject({ text: "", providerOptions: { p: { signature: "x" } } });
    expect(content[2]!.output).toEqual({ type: "json", value: { hits: 2 } });
  });

  test("of a call that do not fit its whole arguments are replaced by them", async () => {
    const { model } = sending(
      { type: "tool-input-start", id: "c1", toolName: "lookup" },
      { type: "tool-input-delta", id: "c1", delta: '{"key": "a' },
      { type: "tool-call", toolCallId: "c1", toolName: "lookup", input: '{"key":"b"}' },
      finish,
    );
    const { reply } = await ask(fromAiSdk(model, { steady: false }));
    expect(reply?.calls).toMatchObject([{ type: "call", input: { key: "b" } }]);
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

  test("that end for calls which the package dropped are a lost call, of which the model is told", async () => {
    const ended = { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" } };
    const { model } = sending({ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Now." }, ended);
    const { reply } = await ask(fromAiSdk(model, { steady: false }));
    expect(reply).toMatchObject({ text: "Now.", calls: [{ type: "unreadable-call", kind: "malformed_call" }] });
  });

  test("that have no end are a fault before they fill the memory", async () => {
    const delta = { type: "text-delta", id: "1", delta: "x".repeat(8 * 1024 * 1024) };
    const { model } = sending(...Array.from({ length: 9 }, () => delta), finish);
    const { fault } = await ask(fromAiSdk(model, { steady: false }));
    expect(fault).toMatchObject({ code: "provider_rejected" });
    expect((fault as Error).message).toContain("64 Mi characters");
  });

  test("of words count as cut if their finish reason says nothing, and whole calls count", async () => {
    const ended = { type: "finish", finishReason: { unified: "other", raw: "rested" } };
    const words = [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Well." },
    ];
    const call = { type: "tool-call", toolCallId: "c", toolName: "lookup", input: '{"key":"a"}' };
    const cut = await ask(fromAiSdk(sending(...words, ended).model, { steady: false }));
    expect(cut.reply).toMatchObject({ text: "Well.", finish: "cut" });
    expect(cut.events.at(-1)).toMatchObject({
      type: "reply-retracted",
      reason: expect.stringContaining('"rested"') as string,
    });
    const { reply } = await ask(fromAiSdk(sending(...words, call, ended).model, { steady: false }));
    expect(reply).toMatchObject({ finish: "complete", calls: [{ type: "call", input: { key: "a" } }] });
  });

  test.each(["", "{}", "null", '"{}"'])(
    "that streamed in are not replaced by the empty arguments %j of their end",
    async (input) => {
      const { model } = sending(
        { type: "tool-input-start", id: "c1", toolName: "lookup" },
        { type: "tool-input-delta", id: "c1", delta: '{"key":"a"}' },
        { type: "tool-call", toolCallId: "c1", toolName: "lookup", input },
        finish,
      );
      const { reply } = await ask(fromAiSdk(model, { steady: false }));
      expect(reply?.calls).toMatchObject([{ type: "call", input: { key: "a" } }]);
    },
  );

  test("with an error of Groq that its package left the code out of are a mistake, of which the model is told", async () => {
    for (const message of [
      "Tool choice is required, but model did not call a tool",
      "Tool call validation failed: x",
    ]) {
      const error = { message, type: "invalid_request_error", code: undefined, statusCode: 400 };
      const { model } = sending({ type: "text-start", id: "1" }, { type: "error", error }, finish);
      const { reply, fault } = await ask(fromAiSdk(model, { steady: false }));
      expect(fault).toBeUndefined();
      expect(reply?.calls.length).toBe(message.includes("validation") ? 1 : 0);
    }
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
