import { describe, expect, test } from "vitest";
import { count, wholeUsage } from "../../../src/model/data/token-counts.js";

describe("tokens that only the total has", () => {
  const usage = { inputTokens: 12, cachedInputTokens: 11, outputTokens: 2, reasoningTokens: 0 };
  const details = { reasoning_tokens: 340 };

  test.each([
    [
      "reasoning beside the completion, as xAI counts it",
      { total_tokens: 354, completion_tokens_details: details },
      12,
      342,
    ],
    ["thoughts that no part names, as Google counts them", { total_tokens: 76 }, 12, 64],
    [
      "audio beside the prompt, as Mistral counts it",
      { total_tokens: 389, prompt_tokens_details: { audio_tokens: 375 } },
      387,
      2,
    ],
    ["a total that is the sum", { total_tokens: 14 }, 12, 2],
    ["a total that is less than its parts", { total_tokens: 3 }, 12, 2],
    ["a total that is no number", { total_tokens: "354" }, 12, 2],
    ["no total", {}, 12, 2],
  ])("%s", (_, raw, inputTokens, outputTokens) => {
    expect(wholeUsage(usage, { completion_tokens: 2, ...raw })).toEqual({ ...usage, inputTokens, outputTokens });
  });

  test("of a usage that counts neither part are nobody's", () => {
    const none = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 };
    expect(wholeUsage(none, { completion_tokens: 0, total_tokens: 100 })).toBe(none);
  });

  test("of another API are not added: Google's interactions count the results of tools there", () => {
    expect(wholeUsage(usage, { total_output_tokens: 2, total_tool_use_tokens: 198, total_tokens: 212 })).toBe(usage);
  });
});

test("a count that is no positive number is 0", () => {
  expect([3, 0, -1, NaN, Infinity, "3", null].map(count)).toEqual([3, 0, 0, 0, 0, 0, 0]);
});
