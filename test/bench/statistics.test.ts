import { describe, expect, test } from "vitest";
import { median, ratios, spread } from "../../bench/figures/index.mjs";

describe("the statistics of the bench", () => {
  test("the median is the middle number, or the mean of the two in the middle, and leaves the list as it was", () => {
    const numbers = [9, 1, 5];
    expect([median(numbers), median([4, 1, 3, 2]), numbers]).toEqual([5, 2.5, [9, 1, 5]]);
  });

  test("the spread has the smallest and the largest number", () => {
    expect(spread([3, 10, 1])).toEqual({ median: 3, low: 1, high: 10 });
    expect(spread([])).toBeUndefined();
  });

  test("ratios are taken round by round, so that a machine that gets slower changes none of them", () => {
    expect(ratios([2, 20, 200], [1, 10, 100])).toEqual({ median: 2, low: 2, high: 2 });
  });

  test("a round that one of the two lacks does not count", () => {
    expect(ratios([2, 30], [1])).toEqual({ median: 2, low: 2, high: 2 });
    expect(ratios(undefined, [1])).toBeUndefined();
    expect(ratios([1], undefined)).toBeUndefined();
  });
});
