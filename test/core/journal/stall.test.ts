import { describe, expect, it } from "vitest";
import { processorTime } from "../../processor-time.js";
import {
  countRepetition,
  noStall,
  resultSignature,
  type Stall,
  type Success,
} from "../../../src/core/journal/stall.js";

/** The calls of an iteration, each with its name as its result. */
const calls = (...names: readonly string[]): readonly Success[] =>
  names.map((name) => ({ name, input: {}, text: name }));

/** Counts one iteration for each letter. */
function count(letters: string): Stall {
  return letters.split("").reduce((stall, letter) => countRepetition(stall, calls(letter)), noStall);
}

/** The count after these two iterations. */
function twice(first: readonly Success[], second: readonly Success[]): number {
  return countRepetition(countRepetition(noStall, first), second).count;
}

describe("countRepetition", () => {
  it.each<[string, number]>([
    ["", 0],
    ["A", 1],
    ["AB", 1],
    ["AA", 2],
    ["AAA", 3],
    ["AAAAAA", 6],
    ["ABAB", 2],
    ["ABABA", 2],
    ["ABABAB", 3],
    ["XYABABAB", 3],
    ["ABCABCABC", 3],
    ["ABCDABCDABCD", 3],
    ["AABAAB", 2],
    ["ABCDEABCDEABCDE", 1],
    ["AAAB", 1],
    ["AAABA", 1],
    ["ABABABB", 2],
  ])("after %s counts the last block %d times in a row", (letters, times) => {
    expect(count(letters).count).toBe(times);
  });

  it("is broken by every new call, so that 20 different edits with the same test between them never repeat", () => {
    let stall = noStall;
    for (let edit = 0; edit < 20; edit += 1) {
      stall = countRepetition(stall, calls(`edit ${String(edit)}: ok`));
      expect(stall.count).toBe(1);
      stall = countRepetition(stall, calls("test: pass"));
      expect(stall.count).toBe(1);
    }
  });

  it("takes the calls of an iteration together and in their order", () => {
    expect(twice(calls("a", "b"), calls("a", "b"))).toBe(2);
    expect(twice(calls("a", "b"), calls("b", "a"))).toBe(1);
    expect(twice(calls("a"), calls("a", "a"))).toBe(1);
    expect(twice(calls("ab", "c"), calls("a", "bc"))).toBe(1);
  });

  it("does not grow with the run", () => {
    const { recent, runs } = count("AB".repeat(5000));
    expect([recent.length, runs.length]).toEqual([4, 4]);
  });
});

describe("two calls", () => {
  const read = (input: unknown, text = "ok"): readonly Success[] => [{ name: "read", input, text }];

  it("are the same for the same arguments in another order of keys, and differ for other arguments, even in numbers", () => {
    expect(twice(read({ path: "a", line: 1 }), read({ line: 1, path: "a" }))).toBe(2);
    expect(twice(read({ line: 1 }), read({ line: 2 }))).toBe(1);
    expect(twice(read({ line: [1, { a: 2 }] }), read({ line: [1, { a: 3 }] }))).toBe(1);
    expect(twice(read({ line: 1 }), read({ line: 1, path: "a" }))).toBe(1);
    expect(twice(read("raw text"), read("raw text"))).toBe(2);
    expect(twice(read({}), [{ name: "list", input: {}, text: "ok" }])).toBe(1);
  });

  it("are the same if their results differ only in times", () => {
    expect(twice(read({}, "passed in 3.4 s"), read({}, "passed in 2.9 s"))).toBe(2);
    expect(twice(read({}, "12 passed"), read({}, "13 passed"))).toBe(1);
  });
});

describe("the signature of a text", () => {
  it("ignores times", () => {
    expect(resultSignature("12 passed in 3.4 s at 10:15:01")).toBe(resultSignature("12 passed in 2.9 s at 10:15:44"));
    expect(resultSignature("at 2026-11-22T10:15:01Z")).toBe(resultSignature("at 2026-11-22T10:16:40Z"));
    expect(resultSignature("12 passed")).not.toBe(resultSignature("12 failed"));
    expect(resultSignature("30 % done")).not.toBe(resultSignature("40 % done"));
    expect(resultSignature("page 3")).not.toBe(resultSignature("page 4"));
  });

  it("is made in linear time", () => {
    for (const unit of ["1", "1:", "1.", "1 ", "2026-11-22"]) {
      const spent = processorTime();
      resultSignature(unit.repeat(1_000_000 / unit.length));
      expect(spent()).toBeLessThan(1000);
    }
  });

  it("shows a difference even late in a long text", () => {
    for (const length of [1000, 50_000, 200_000]) {
      const text = "word ".repeat(length / 5);
      expect(resultSignature(`${text}one`)).not.toBe(resultSignature(`${text}other`));
    }
  });
});
