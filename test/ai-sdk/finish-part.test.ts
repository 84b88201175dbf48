// The part that ends a stream of the AI SDK: the evidence that the reply is complete, and its usage.

import { describe, expect, test } from "vitest";
import { endOf, endWithoutCalls, usageOf } from "../../src/ai-sdk/finish-part.js";
import { fromAiSdk } from "../../src/ai-sdk/index.js";
import { call } from "../../src/testing/index.js";
import { makers } from "./makers.js";
import { ask } from "./request.js";

test.each([
  [{ unified: "stop", raw: "stop" }, "complete"],
  [{ unified: "tool-calls", raw: "tool_calls" }, "complete"],
  [{ unified: "length", raw: "max_tokens" }, "cut"],
  [{ unified: "content-filter", raw: "safety" }, "refused"],
  [{ unified: "stop", raw: undefined }, "complete"],
  [{ unified: "stop", raw: "a word that its package knows" }, "complete"],
  [{ unified: "stop", raw: "pause_turn" }, "cut"],
  [{ unified: "other", raw: "compaction" }, "cut"],
  [{ unified: "other", raw: "end" }, "complete"],
  [{ unified: "error", raw: "MALFORMED_FUNCTION_CALL" }, "malformed"],
])("the finish reason %j shows that the reply is %s", (reason, finish) => {
  expect(endOf(reason, "acme")).toEqual({ finish });
});

test("a word of the provider that neither its package nor the list of words knows shows nothing", () => {
  const own = { finish: "unknown", finishReason: "a word of its own" };
  expect(endOf({ unified: "other", raw: "a word of its own" }, "acme")).toEqual(own);
  expect(endOf({ unified: "tool-calls", raw: "a word of its own" }, "acme")).toEqual(own);
});

test.each([
  [undefined],
  [{}],
  [{ unified: "other" }],
  [{ unified: "interrupted", raw: "eos" }],
  [{ unified: "error", raw: "stop" }],
  [{ unified: "stop", raw: "error" }],
  [{ unified: "other", raw: "abort" }],
  [{ unified: "other", raw: "network_error" }],
  [{ unified: "other", raw: "" }],
])("the finish reason %j shows no end, so the reply is broken off", (reason) => {
  expect(() => endOf(reason, "acme")).toThrow("The provider acme");
});

test("a reply that ended for its calls, and has none, is malformed", () => {
  expect(endWithoutCalls({ unified: "tool-calls", raw: "tool_calls" }, "acme")).toEqual({ finish: "malformed" });
  expect(endWithoutCalls({ unified: "stop", raw: "stop" }, "acme")).toEqual({ finish: "complete" });
  expect(endWithoutCalls({ unified: "length", raw: "length" }, "acme")).toEqual({ finish: "cut" });
});

test("usage that is no number counts as none", () => {
  const none = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  for (const usage of [undefined, "many", {}, { inputTokens: 3 }, { inputTokens: { total: "3" } }])
    expect(usageOf(usage)).toEqual(none);
  expect(
    usageOf({ inputTokens: { total: 5, cacheRead: 2 }, outputTokens: { total: 7, reasoning: 3 }, raw: { x: 1 } }),
  ).toEqual({ inputTokens: 5, cachedInputTokens: 2, outputTokens: 7, reasoningTokens: 3 });
  const own = { outputTokens: { total: 7 }, raw: { completion_tokens_details: { reasoning_tokens: 4 } } };
  expect(usageOf(own)).toMatchObject({ outputTokens: 7, reasoningTokens: 4 });
});

// The scripted Responses API has no finish reasons of a server's own.
describe.each(makers.filter(({ name }) => name !== "openai responses"))("over $name at $version", ({ start }) => {
  test("a reply that its server broke off is a fault, whatever it had", async () => {
    for (const reason of ["abort", "network_error"]) {
      await using running = await start([
        { text: "Half", calls: [call("lookup", { key: "a" })], finishReason: reason },
      ]);
      const { fault } = await ask(fromAiSdk(running.model, { steady: false }));
      expect(fault).toMatchObject({ code: "provider_unavailable" });
      expect((fault as Error).message).toContain(reason);
    }
  });

  test("words with a reason that says nothing are cut, and so are words of a turn that was paused", async () => {
    for (const reason of ["rested", "model_context_window_exceeded", "pause_turn"]) {
      await using running = await start([{ text: "Half", finishReason: reason }]);
      expect((await ask(fromAiSdk(running.model, { steady: false }))).reply).toMatchObject({
        finish: "cut",
        text: "Half",
      });
    }
  });

  test("whole calls with a reason that says nothing count", async () => {
    await using running = await start([{ calls: [call("lookup", { key: "a" })], finishReason: "rested" }]);
    const { reply } = await ask(fromAiSdk(running.model, { steady: false }));
    expect(reply).toMatchObject({ finish: "complete", calls: [{ type: "call", input: { key: "a" } }] });
  });
});

test("the package for compatible servers left the reasoning of xAI out: it is output", () => {
  const raw = { prompt_tokens: 12, completion_tokens: 2, total_tokens: 354 };
  expect(usageOf({ inputTokens: { total: 12 }, outputTokens: { total: 2, reasoning: 340 }, raw })).toEqual({
    inputTokens: 12,
    cachedInputTokens: 0,
    outputTokens: 342,
    reasoningTokens: 340,
  });
});
