import { describe, expect, it } from "vitest";
import type { LimitOptions, State } from "../../../src/core/index.js";
import { checkLimits, limitReached, warnings } from "../../../src/core/ports/limit.js";
import { nothingSpent, type Spent } from "../../../src/core/journal/spent.js";
import { emptyState } from "../../../src/core/journal/state.js";
import { step } from "../../../src/core/journal/step.js";

const prices = { gpt: { input: 1, output: 10 } };

function used({ elapsed = 0, ...spent }: Partial<Spent> & { readonly elapsed?: number }): State {
  return { ...emptyState, elapsed, spent: { ...nothingSpent, ...spent } };
}

function next(spent: Partial<Spent> = {}): Spent {
  return { ...nothingSpent, iterations: 1, ...spent };
}

/** The limit that forbids the next request: its reason, and whether the run may be closed. */
function asked(options: LimitOptions, state: State, then: Partial<Spent> = {}): readonly [string, boolean] | undefined {
  const reached = limitReached(state, checkLimits(options, { name: "gpt" }), next(then));
  return reached && [reached.reason, reached.canClose];
}

describe("checkLimits", () => {
  it("sets no limit by default, warns at 0.8 and reserves 0.1", () => {
    expect(checkLimits({}, { name: "gpt" })).toEqual({ prices: {}, warnAt: 0.8, reserve: 0.1 });
  });

  it("keeps the given values", () => {
    const options = {
      maxIterations: 3,
      timeout: 0,
      maxTokens: 1,
      maxCost: 0.001,
      prices,
      iterationTimeout: 5,
      toolTimeout: 0,
      warnAt: 1,
      reserve: 0,
    };
    expect(checkLimits(options, { name: "gpt" })).toEqual(options);
    expect(checkLimits({ warnAt: 0, reserve: 0.9 }, { name: "gpt" })).toMatchObject({ warnAt: 0, reserve: 0.9 });
  });

  const counts = [0, -1, 1.5, NaN, Infinity].flatMap((value) =>
    (["maxIterations", "maxTokens"] as const).map(
      (name) => [name, value, "give a whole number of at least 1."] as const,
    ),
  );
  const times = [-1, NaN, Infinity, 2 ** 31].flatMap((value) =>
    (["timeout", "iterationTimeout", "toolTimeout"] as const).map(
      (name) => [name, value, "give milliseconds from 0 to 2147483647, or leave it out."] as const,
    ),
  );
  const costs = [0, -1, NaN, Infinity].map((value) => ["maxCost", value, "give a number greater than 0."] as const);
  const shares = [
    ...[-0.1, 1.1, NaN].map((value) => ["warnAt", value, "give a number from 0 to 1."] as const),
    ...[-0.1, 0.91, NaN].map((value) => ["reserve", value, "give a number from 0 to 0.9."] as const),
  ];

  it.each([...counts, ...times, ...costs, ...shares])("refuses %s %s and names a valid value", (name, value, mend) => {
    expect(() => checkLimits({ prices, [name]: value }, { name: "gpt" })).toThrow(
      expect.objectContaining({
        name: "LastcallError",
        code: "configuration",
        message: `limits.${name} is ${String(value)}: ${mend}`,
      }),
    );
  });

  it("refuses a maximum cost for a model without a price, and invalid prices", () => {
    const message = "limits.maxCost needs what gpt costs: add it to limits.prices.";
    for (const table of [{}, { other: prices.gpt }]) {
      expect(() => checkLimits({ maxCost: 1, prices: table }, { name: "gpt" })).toThrow(
        expect.objectContaining({ code: "configuration", message }),
      );
    }
    expect(() => checkLimits({ maxCost: 1, prices }, { name: "toString" })).toThrow("needs what toString costs");
    expect(() => checkLimits({ prices: { gpt: { input: -1, output: 1 } } }, { name: "gpt" })).toThrow("has input -1");
  });

  it("accepts prices without a maximum cost, and without this model", () => {
    expect(checkLimits({ prices }, { name: "other" }).prices).toEqual(prices);
  });
});

describe("limitReached", () => {
  it("is undefined without limits", () => {
    const huge = 1e12;
    expect(asked({}, used({ iterations: huge, tokens: huge, cost: huge, elapsed: huge }))).toBeUndefined();
  });

  it("counts iterations, without the requested one", () => {
    const limit = { maxIterations: 3 };
    expect([0, 2, 3, 4].map((iterations) => asked(limit, used({ iterations })))).toEqual([
      undefined,
      undefined,
      ["max_iterations", true],
      ["max_iterations", true],
    ]);
    expect(asked({ ...limit, reserve: 0 }, used({ iterations: 3 }))).toEqual(["max_iterations", false]);
  });

  it("reserves a share of the time for the closing, which may begin until the time is up", () => {
    const limit = { timeout: 1000, reserve: 0.25 };
    expect([749, 750, 999, 1000].map((elapsed) => asked(limit, used({ elapsed })))).toEqual([
      undefined,
      ["timeout", true],
      ["timeout", true],
      ["timeout", false],
    ]);
    expect([999, 1000].map((elapsed) => asked({ timeout: 1000, reserve: 0 }, used({ elapsed })))).toEqual([
      undefined,
      ["timeout", false],
    ]);
  });

  it("reserves a share of the tokens for the closing", () => {
    const limit = { maxTokens: 1000, reserve: 0.25 };
    const at = (tokens: number, then: number): unknown => asked(limit, used({ tokens }), { tokens: then });
    expect(at(650, 100)).toBeUndefined();
    expect(at(651, 100)).toEqual(["token_budget", true]);
    expect(at(900, 100)).toEqual(["token_budget", true]);
    expect(at(901, 100)).toEqual(["token_budget", false]);
    expect(at(1000, 0)).toEqual(["token_budget", true]);
  });

  it("reserves at least the estimate of one more request", () => {
    const limit = { maxTokens: 1000, reserve: 0.1 };
    expect(asked(limit, used({ tokens: 400 }), { tokens: 300 })).toBeUndefined();
    expect(asked(limit, used({ tokens: 401 }), { tokens: 300 })).toEqual(["token_budget", true]);
    expect(asked(limit, used({}), { tokens: 501 })).toEqual(["token_budget", true]);
    expect(asked(limit, used({}), { tokens: 1001 })).toEqual(["token_budget", false]);
  });

  it("reserves nothing with `reserve: 0`, and only the estimate must fit", () => {
    const limit = { maxTokens: 1000, reserve: 0 };
    expect(asked(limit, used({ tokens: 700 }), { tokens: 300 })).toBeUndefined();
    expect(asked(limit, used({ tokens: 701 }), { tokens: 300 })).toEqual(["token_budget", false]);
    expect(asked(limit, used({ tokens: 1000 }), { tokens: 0 })).toEqual(["token_budget", false]);
  });

  it("counts the cost like the tokens", () => {
    const limit = { maxCost: 2, prices, reserve: 0.25 };
    const at = (cost: number, then: number): unknown => asked(limit, used({ cost }), { cost: then });
    expect(at(1, 0.5)).toBeUndefined();
    expect(at(1.25, 0.5)).toEqual(["cost_budget", true]);
    expect(at(1.75, 0.5)).toEqual(["cost_budget", false]);
  });

  it("names the first limit that is reached: iterations, time, tokens, cost", () => {
    const limits = { maxIterations: 1, timeout: 1, maxTokens: 1, maxCost: 1, prices };
    const all = { iterations: 1, elapsed: 1, tokens: 1, cost: 1 };
    expect(asked(limits, used(all))?.[0]).toBe("max_iterations");
    expect(asked(limits, used({ ...all, iterations: 0 }))?.[0]).toBe("timeout");
    expect(asked(limits, used({ ...all, iterations: 0, elapsed: 0 }))?.[0]).toBe("token_budget");
    expect(asked(limits, used({ cost: 1 }))?.[0]).toBe("cost_budget");
  });

  it.each<[LimitOptions, State, Partial<Spent>, string]>([
    [{ maxIterations: 1 }, used({ iterations: 1 }), {}, "1 iteration, as many as allowed"],
    [{ maxIterations: 2 }, used({ iterations: 3 }), {}, "3 iterations, as many as allowed"],
    [{ timeout: 800 }, used({ elapsed: 720.4 }), {}, "720 ms of 800 ms have passed"],
    [{ timeout: 90_000 }, used({ elapsed: 89_960 }), {}, "90 s of 90 s have passed"],
    [
      { maxTokens: 100 },
      used({ tokens: 95 }),
      { tokens: 1 },
      "95 tokens used, 100 tokens allowed, and the next request is likely to take 1 token",
    ],
    [
      { maxCost: 0.5, prices },
      used({ cost: 0.49876 }),
      { cost: 0.00001234 },
      "a cost of 0.499 used, a cost of 0.5 allowed, and the next request is likely to take a cost of 0.0000123",
    ],
  ])("of %j names the used and the allowed amount", (options, state, then, message) => {
    expect(limitReached(state, checkLimits(options, { name: "gpt" }), next(then))?.message).toBe(message);
  });
});

describe("warnings", () => {
  const limits = checkLimits(
    { maxIterations: 10, timeout: 10_000, maxTokens: 100, maxCost: 1, prices },
    { name: "gpt" },
  );

  it("come for each limit that has reached `warnAt`, but not for a limit that is used up", () => {
    const at = (share: number): readonly string[] => {
      const state = used({ iterations: 10 * share, elapsed: 10_000 * share, tokens: 100 * share, cost: share });
      return warnings(state, limits).map(({ reason }) => reason);
    };
    expect(at(0.79)).toEqual([]);
    expect(at(0.8)).toEqual(["max_iterations", "timeout", "token_budget", "cost_budget"]);
    expect(at(1)).toEqual([]);
  });

  it("name the used amount and the next step", () => {
    expect(warnings(used({ elapsed: 8500 }), limits)).toEqual([
      {
        reason: "timeout",
        text: "8.5 s of at most 10 s are used. Do what matters most first, and end before the rest is used up.",
      },
    ]);
  });

  it("come once for a limit, and again in the next run", () => {
    const state = used({ iterations: 8, tokens: 90 });
    const [first] = warnings(state, limits);
    const notice = { type: "notice", about: "limit", ...first!, seq: 0, at: 0 } as const;
    const warned = step(state, notice);
    expect(warnings(warned, limits).map(({ reason }) => reason)).toEqual(["token_budget"]);
    const anew = step(warned, { type: "input", run: 2, text: "x", seq: 1, at: 0 });
    expect(warnings({ ...anew, spent: state.spent }, limits)).toHaveLength(2);
  });

  it("come earlier or never, as the caller says", () => {
    const at = (warnAt: number, iterations: number): number =>
      warnings(used({ iterations }), { ...limits, warnAt }).length;
    expect([at(0.5, 4), at(0.5, 5)]).toEqual([0, 1]);
    expect([at(1, 9), at(1, 10), at(1, 11)]).toEqual([0, 0, 0]);
  });

  it("are empty without limits", () => {
    expect(warnings(used({ iterations: 1e9, elapsed: 1e9 }), checkLimits({}, { name: "gpt" }))).toEqual([]);
  });
});
