// The part that ends a stream of the AI SDK: the evidence that the reply is complete, and its usage.

import { expect, test } from "vitest";
import { endOf, endWithoutCalls, usageOf } from "../../src/ai-sdk/finish-part.js";

test.each([
  [{ unified: "stop", raw: "stop" }, "complete"],
  [{ unified: "tool-calls", raw: "tool_calls" }, "complete"],
  [{ unified: "length", raw: "max_tokens" }, "cut"],
  [{ unified: "content-filter", raw: "safety" }, "refused"],
  [{ unified: "other", raw: "a word of its own" }, "complete"],
])("the finish reason %j shows that the reply is %s", (reason, finish) => {
  expect(endOf(reason, "acme")).toBe(finish);
});

test.each([
  [undefined],
  [{}],
  [{ unified: "other" }],
  [{ unified: "interrupted", raw: "eos" }],
  [{ unified: "error", raw: "stop" }],
  [{ unified: "stop", raw: "error" }],
])("the finish reason %j shows no end, so the reply is broken off", (reason) => {
  expect(() => endOf(reason, "acme")).toThrow("The provider acme");
});

test("a reply that ended for its calls, and has none, is malformed", () => {
  expect(endWithoutCalls({ unified: "tool-calls", raw: "tool_calls" }, "acme")).toBe("malformed");
  expect(endWithoutCalls({ unified: "stop", raw: "stop" }, "acme")).toBe("complete");
  expect(endWithoutCalls({ unified: "length", raw: "length" }, "acme")).toBe("cut");
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
