import { expect, test } from "vitest";
import { joinLimits } from "../../../src/cli/args/limits.js";

const price = (input: number): { readonly input: number; readonly output: number } => ({ input, output: 1 });

test("a given option wins over the module, and the module over the command's defaults", () => {
  const limits = { maxIterations: 7, timeout: 1000, toolTimeout: 5 };
  const own = { maxIterations: 3, timeout: 2000, toolTimeout: 6, maxTokens: undefined };
  expect(joinLimits({ limits, given: ["max-iterations"] }, own)).toEqual({
    maxIterations: 7,
    timeout: 2000,
    toolTimeout: 6,
  });
});

test("prices of the option and of the module hold together, and for the same model the option's price wins", () => {
  const limits = { prices: { a: price(1), b: price(2) } };
  expect(joinLimits({ limits, given: ["prices"] }, { prices: { b: price(3), c: price(4) } }).prices).toEqual({
    a: price(1),
    b: price(2),
    c: price(4),
  });
});

test("a limit that an option sets asks as its module says, and a limit that an option takes away asks nothing", () => {
  const own = { maxIterations: 3, maxCost: 1, ask: { maxIterations: 2, maxCost: 5 } };
  expect(joinLimits({ limits: { maxIterations: 7 }, given: ["max-iterations"] }, own).ask).toEqual(own.ask);
  const without = joinLimits({ limits: {}, given: ["max-iterations"] }, own);
  expect(without).toEqual({ maxCost: 1, ask: { maxCost: 5 } });
  expect(joinLimits({ limits: {}, given: ["max-iterations", "max-cost"] }, own)).toEqual({});
});
