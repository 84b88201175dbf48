import { describe, expect, it } from "vitest";
import { noUsage, type Reply, type Usage } from "../../../src/core/index.js";
import { checkPrices } from "../../../src/core/internal.js";
import {
  addSpent,
  afterReply,
  costOf,
  dearest,
  emptyPrompt,
  grown,
  nothingSpent,
  projectUsage,
  replyTokens,
  shortened,
  spentOn,
  tokensOf,
} from "../../../src/core/journal/spent.js";
import { replyOf } from "../journal.js";

function usage(inputTokens: number, outputTokens: number, cachedInputTokens = 0): Usage {
  return { ...noUsage, inputTokens, outputTokens, cachedInputTokens };
}

describe("checkPrices", () => {
  it("returns the table unchanged", () => {
    const prices = { a: { input: 0, output: 0 }, b: { input: 1.25, cachedInput: 0, output: 10 } };
    expect(checkPrices(prices)).toBe(prices);
    expect(checkPrices({})).toEqual({});
  });

  it.each<[unknown, string]>([
    [null, "The prices are no table"],
    [[], "The prices are no table"],
    ["gpt", "The prices are no table"],
    [{ gpt: 7 }, "The price of gpt is none"],
    [{ gpt: null }, "The price of gpt is none"],
    [{ gpt: { input: 1, output: 1, cached: 1 } }, "The price of gpt has a field cached"],
    [{ gpt: { output: 1 } }, "The price of gpt has input undefined"],
    [{ gpt: { input: 1 } }, "The price of gpt has output undefined"],
    [{ gpt: { input: "1", output: 1 } }, 'The price of gpt has input "1"'],
    [{ gpt: { input: -1, output: 1 } }, "The price of gpt has input -1"],
    [{ gpt: { input: 1, output: Infinity } }, "The price of gpt has output null"],
    [{ gpt: { input: 1, output: 1, cachedInput: NaN } }, "The price of gpt has cachedInput null"],
    [{ gpt: { input: 1, output: 1, cachedInput: null } }, "The price of gpt has cachedInput null"],
    [{ fine: { input: 1, output: 1 }, odd: {} }, "The price of odd has input undefined"],
  ])("refuses %j, names the problem and shows a valid table", (prices, wrong) => {
    expect(() => checkPrices(prices)).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: `${wrong}: give { "model": { "input": 1.25, "cachedInput": 0.125, "output": 10 } }.`,
      }),
    );
  });
});

describe("costOf", () => {
  const price = { input: 2, cachedInput: 0.5, output: 8 };

  it("is per million tokens, with a price of its own for cached tokens", () => {
    expect(costOf(usage(1_000_000, 0), price)).toBe(2);
    expect(costOf(usage(1_000_000, 0, 1_000_000), price)).toBe(0.5);
    expect(costOf(usage(1_000_000, 500_000, 400_000), price)).toBeCloseTo(1.2 + 0.2 + 4, 12);
  });

  it("counts cached tokens at the input price if they have no own price", () => {
    expect(costOf(usage(1_000_000, 0, 900_000), { input: 2, output: 8 })).toBe(2);
    expect(costOf(usage(1_000_000, 0, 1_000_000), { ...price, cachedInput: 0 })).toBe(0);
  });

  it("counts reasoning as output", () => {
    expect(costOf({ ...usage(0, 1000), reasoningTokens: 900 }, price)).toBeCloseTo(0.008, 12);
  });

  it("is never negative for uncached tokens, even if a provider reports too many cached tokens", () => {
    expect(costOf(usage(10, 0, 1_000_000), price)).toBe(0.5);
  });

  it("is 0 without a price", () => {
    expect(costOf(usage(1e9, 1e9), undefined)).toBe(0);
  });
});

describe("the usage of a request", () => {
  it("is one iteration with its input and output tokens, and their cost", () => {
    const price = { input: 1, cachedInput: 0, output: 10 };
    expect(spentOn(usage(100, 20, 40), price)).toEqual({ iterations: 1, tokens: 120, cost: (60 + 200) / 1_000_000 });
    expect(spentOn(usage(100, 20), undefined)).toEqual({ iterations: 1, tokens: 120, cost: 0 });
  });

  it("is summed", () => {
    expect(addSpent({ iterations: 1, tokens: 2, cost: 3 }, { iterations: 10, tokens: 20, cost: 30 })).toEqual({
      iterations: 11,
      tokens: 22,
      cost: 33,
    });
    expect(addSpent(nothingSpent, nothingSpent)).toEqual(nothingSpent);
  });
});

describe("the size of the prompt", () => {
  it("grows by the characters that are added", () => {
    expect(grown(grown(emptyPrompt, "four"), "éé")).toEqual({ counted: 0, characters: 6, longestReply: 0 });
  });

  it("is the provider's count after a reply with a usage, and grows from there", () => {
    const before = { counted: 50, characters: 300, longestReply: 30 };
    const counted = afterReply(before, replyOf(["a"], { text: "words", usage: usage(100, 20, 90) }));
    expect(counted).toEqual({ counted: 120, characters: 0, longestReply: 30 });
    expect(afterReply(counted, replyOf([], { usage: usage(130, 40) }))).toEqual({
      counted: 170,
      characters: 0,
      longestReply: 40,
    });
  });

  it("grows by the characters of the reply if the provider reports no usage", () => {
    const input = { key: "a" };
    const reply: Reply = {
      ...replyOf([], { text: "12345" }),
      calls: [
        { type: "call", id: "a", name: "lookup", input },
        { type: "unreadable-call", id: "b", name: "x", kind: "malformed_call", source: "{{{", problem: "no" },
      ],
    };
    const length = 5 + JSON.stringify(input).length + 3;
    expect(replyTokens(reply)).toBe(Math.ceil(length / 3));
    expect(afterReply({ counted: 50, characters: 10, longestReply: 2 }, reply)).toEqual({
      counted: 50,
      characters: 10 + length,
      longestReply: Math.ceil(length / 3),
    });
  });

  it("keeps the size of the longest reply, reported or estimated", () => {
    const long = afterReply(emptyPrompt, replyOf([], { text: "x".repeat(300) }));
    expect(long.longestReply).toBe(100);
    expect(afterReply(long, replyOf([], { text: "short" })).longestReply).toBe(100);
    expect(afterReply(long, replyOf([], { usage: usage(10, 99) })).longestReply).toBe(100);
    expect(afterReply(long, replyOf([], { usage: usage(10, 101) })).longestReply).toBe(101);
  });
});

describe("projectUsage", () => {
  it("estimates the complete prompt and the overhead before the first count", () => {
    expect(projectUsage({ counted: 0, characters: 100, longestReply: 0 }, 200)).toEqual(usage(100, 0));
    expect(projectUsage({ counted: 0, characters: 1, longestReply: 0 }, 0)).toEqual(usage(1, 0));
    expect(projectUsage(emptyPrompt, 0)).toEqual(noUsage);
  });

  it("adds the new characters to the count, but not the overhead, which was counted", () => {
    expect(projectUsage({ counted: 1000, characters: 30, longestReply: 50 }, 9999)).toEqual(usage(1010, 50));
    expect(projectUsage({ counted: 1000, characters: 0, longestReply: 50 }, 9999)).toEqual(usage(1000, 50));
  });

  it("assumes that no tokens are cached", () => {
    const after = afterReply(emptyPrompt, replyOf([], { usage: usage(1000, 10, 1000) }));
    expect(projectUsage(after, 0)).toEqual(usage(1010, 10, 0));
  });
});

describe("dearest", () => {
  it("is the highest price of each kind", () => {
    expect(
      dearest({ a: { input: 5, cachedInput: 1, output: 10 }, b: { input: 2, output: 30 }, c: { input: 1, output: 1 } }),
    ).toEqual({ input: 5, cachedInput: 2, output: 30 });
    expect(dearest({ a: { input: 1, output: 2 } })).toEqual({ input: 1, cachedInput: 1, output: 2 });
  });

  it("is undefined for an empty table", () => {
    expect(dearest({})).toBeUndefined();
  });
});

describe("the tokens of a request, estimated from its characters", () => {
  const nothing = { counted: 0, characters: 0, longestReply: 0 };

  it("are estimated cautiously before the first count of a provider", () => {
    expect(tokensOf(nothing, 3000)).toBe(1000);
  });

  it("follow the last count, also after the prompt was shortened, with a cautious estimate for new characters", () => {
    const reply = replyOf([], { usage: { ...noUsage, inputTokens: 1000, outputTokens: 10 } });
    const size = afterReply(nothing, reply, 4000);
    expect(tokensOf(size, 4000)).toBe(1000);
    expect(tokensOf(size, 2000)).toBe(500);
    expect(tokensOf(size, 4300)).toBe(1100);
    expect(shortened(size, 500)).toMatchObject({ counted: 500, characters: 0, measured: { tokens: 1000 } });
  });

  it("have a minimum per character, in case the provider leaves most tokens out", () => {
    expect(tokensOf({ ...nothing, measured: { tokens: 10, characters: 60_000 } }, 60_000)).toBe(10_000);
  });
});
