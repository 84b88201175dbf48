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
  it("returns the table as it is", () => {
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
  ])("refuses %j and says what is wrong and what to give", (prices, wrong) => {
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

  it("is for a million tokens, cached ones at their own price", () => {
    expect(costOf(usage(1_000_000, 0), price)).toBe(2);
    expect(costOf(usage(1_000_000, 0, 1_000_000), price)).toBe(0.5);
    expect(costOf(usage(1_000_000, 500_000, 400_000), price)).toBeCloseTo(1.2 + 0.2 + 4, 12);
  });

  it("takes cached tokens for fresh ones where they have no price of their own", () => {
    expect(costOf(usage(1_000_000, 0, 900_000), { input: 2, output: 8 })).toBe(2);
    expect(costOf(usage(1_000_000, 0, 1_000_000), { ...price, cachedInput: 0 })).toBe(0);
  });

  it("takes reasoning as part of the output", () => {
    expect(costOf({ ...usage(0, 1000), reasoningTokens: 900 }, price)).toBeCloseTo(0.008, 12);
  });

  it("is never less than nothing for fresh tokens, whatever a provider says is cached", () => {
    expect(costOf(usage(10, 0, 1_000_000), price)).toBe(0.5);
  });

  it("is nothing without a price", () => {
    expect(costOf(usage(1e9, 1e9), undefined)).toBe(0);
  });
});

describe("what is spent", () => {
  it("is one iteration with its tokens in and out, and their cost", () => {
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
  it("grows by the characters of what is added", () => {
    expect(grown(grown(emptyPrompt, "four"), "éé")).toEqual({ counted: 0, characters: 6, longestReply: 0 });
  });

  it("is what the provider counted, after a reply with a usage, and starts anew from there", () => {
    const before = { counted: 50, characters: 300, longestReply: 30 };
    const counted = afterReply(before, replyOf(["a"], { text: "words", usage: usage(100, 20, 90) }));
    expect(counted).toEqual({ counted: 120, characters: 0, longestReply: 30 });
    expect(afterReply(counted, replyOf([], { usage: usage(130, 40) }))).toEqual({
      counted: 170,
      characters: 0,
      longestReply: 40,
    });
  });

  it("grows by the characters of the reply where the provider reports no usage", () => {
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

  it("keeps the longest reply, reported or estimated", () => {
    const long = afterReply(emptyPrompt, replyOf([], { text: "x".repeat(300) }));
    expect(long.longestReply).toBe(100);
    expect(afterReply(long, replyOf([], { text: "short" })).longestReply).toBe(100);
    expect(afterReply(long, replyOf([], { usage: usage(10, 99) })).longestReply).toBe(100);
    expect(afterReply(long, replyOf([], { usage: usage(10, 101) })).longestReply).toBe(101);
  });
});

describe("projectUsage", () => {
  it("estimates all of the prompt, and the overhead, where nothing was counted yet", () => {
    expect(projectUsage({ counted: 0, characters: 100, longestReply: 0 }, 200)).toEqual(usage(100, 0));
    expect(projectUsage({ counted: 0, characters: 1, longestReply: 0 }, 0)).toEqual(usage(1, 0));
    expect(projectUsage(emptyPrompt, 0)).toEqual(noUsage);
  });

  it("adds what came since to what was counted, and no overhead, which was counted with it", () => {
    expect(projectUsage({ counted: 1000, characters: 30, longestReply: 50 }, 9999)).toEqual(usage(1010, 50));
    expect(projectUsage({ counted: 1000, characters: 0, longestReply: 50 }, 9999)).toEqual(usage(1000, 50));
  });

  it("takes nothing to be cached", () => {
    const after = afterReply(emptyPrompt, replyOf([], { usage: usage(1000, 10, 1000) }));
    expect(projectUsage(after, 0)).toEqual(usage(1010, 10, 0));
  });
});

describe("dearest", () => {
  it("is the highest of each price, wherever it is", () => {
    expect(
      dearest({ a: { input: 5, cachedInput: 1, output: 10 }, b: { input: 2, output: 30 }, c: { input: 1, output: 1 } }),
    ).toEqual({ input: 5, cachedInput: 2, output: 30 });
    expect(dearest({ a: { input: 1, output: 2 } })).toEqual({ input: 1, cachedInput: 1, output: 2 });
  });

  it("is none of an empty table", () => {
    expect(dearest({})).toBeUndefined();
  });
});

describe("tokens of a request of so many characters", () => {
  const nothing = { counted: 0, characters: 0, longestReply: 0 };

  it("are a careful guess before a provider counted any", () => {
    expect(tokensOf(nothing, 3000)).toBe(1000);
  });

  it("follow from what was counted, also after the prompt was shortened, and are careful with what is new", () => {
    const reply = replyOf([], { usage: { ...noUsage, inputTokens: 1000, outputTokens: 10 } });
    const size = afterReply(nothing, reply, 4000);
    expect(tokensOf(size, 4000)).toBe(1000);
    expect(tokensOf(size, 2000)).toBe(500);
    expect(tokensOf(size, 4300)).toBe(1100);
    expect(shortened(size, 500)).toMatchObject({ counted: 500, characters: 0, measured: { tokens: 1000 } });
  });

  it("are not believed where the provider leaves the greater part out", () => {
    expect(tokensOf({ ...nothing, measured: { tokens: 10, characters: 60_000 } }, 60_000)).toBe(10_000);
  });
});
