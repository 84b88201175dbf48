import { describe, expect, test } from "vitest";
import { cutTo, tailOf, headOf, wholeAt } from "../../../src/core/text/cut.js";

const key = "\u{1F511}";
const text = `a${key}b`;

describe("a cut", () => {
  test.each([
    [0, 0],
    [1, 1],
    [2, 1],
    [3, 3],
    [4, 4],
  ])("at %i is made at %i", (index, at) => {
    expect(wholeAt(text, index)).toBe(at);
  });

  test("does not move for a half character that was there before", () => {
    expect(wholeAt("a\udd11b", 1)).toBe(1);
  });

  test.each([
    [0, "", "", "…"],
    [1, "a", "b", "…"],
    [2, "a", "b", "a…"],
    [3, `a${key}`, `${key}b`, "a…"],
    [4, text, text, text],
    [2.5, "a", "b", "a…"],
  ])("to %f units keeps whole characters at either end", (most, start, end, cut) => {
    expect([headOf(text, most), tailOf(text, most), cutTo(text, most)]).toEqual([start, end, cut]);
  });
});
