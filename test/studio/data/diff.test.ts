import { describe, expect, test } from "vitest";
import { diff } from "../../../src/studio/data/diff.js";

const lines = (first: string, second: string): string =>
  diff(Array.from(first), Array.from(second), (letter) => letter)
    .map(({ side, item }) => (side === "both" ? item : side === "first" ? `-${item}` : `+${item}`))
    .join("");

describe("the difference of two lists", () => {
  test.each([
    ["abc", "abc", "abc"],
    ["abc", "abcde", "abc+d+e"],
    ["abc", "xbc", "-a+xbc"],
    ["abcdef", "abXdf", "ab-c+Xd-ef"],
    ["", "ab", "+a+b"],
    ["ab", "", "-a-b"],
    ["aaa", "aa", "aa-a"],
  ])("of %s and %s is %s", (first, second, expected) => {
    expect(lines(first, second)).toBe(expected);
  });

  test("gives both lists back", () => {
    let seed = 7;
    const random = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
    for (let times = 0; times < 200; times += 1) {
      const make = (): number[] => Array.from({ length: random(12) }, () => random(4));
      const [first, second] = [make(), make()];
      const parts = diff(first, second, String);
      expect(parts.flatMap(({ side, item }) => (side === "second" ? [] : [item]))).toEqual(first);
      expect(parts.flatMap(({ side, item }) => (side === "first" ? [] : [item]))).toEqual(second);
    }
  });

  test("of two long lists that share nothing takes no table", () => {
    const make = (from: number): number[] => Array.from({ length: 20_000 }, (_, at) => from + at);
    const parts = diff(make(0), make(1_000_000), String);
    expect(parts.length).toBe(40_000);
  });

  test("of a long list that only grew costs nothing", () => {
    const first = Array.from({ length: 100_000 }, (_, at) => at);
    const parts = diff(first, [...first, -1], String);
    expect(parts.filter(({ side }) => side !== "both")).toEqual([{ side: "second", item: -1 }]);
  });
});
