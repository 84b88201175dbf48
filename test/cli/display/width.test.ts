// Columns: the width of a text, and wrapped lines.

import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { colouredLook } from "../../../src/cli/chat/style/look.js";
import { chopped, clipped, folded, widthOf, wrapped } from "../../../src/cli/display/width.js";
import { processorTime } from "../../processor-time.js";

const { bold, good, bad } = colouredLook;

const characters = [
  "a",
  "b",
  "word",
  " ",
  "  ",
  "é",
  "e\u0301",
  "你",
  "。",
  "👍🏽",
  "👨‍👩‍👧",
  "🇩🇪",
  "1️⃣",
  "한",
  "का",
  "ｱ",
  "-",
];
const parts = fc.array(fc.tuple(fc.constantFrom(...characters), fc.constantFrom(0, 0, 0, 1, 2, 3)), { maxLength: 40 });
const lines = parts.map((all) =>
  all.map(([text, style]) => [text, bold(text), good(text), bold(bad(text))][style]).join(""),
);
const widest = 2;

describe("the width of a text", () => {
  test.each([
    ["plain", 5],
    ["", 0],
    ["你好", 4],
    ["ｱﾊﾟ", 3],
    ["👨‍👩‍👧", 2],
    ["👍🏽", 2],
    ["🇩🇪🇫🇷", 4],
    ["1️⃣", 2],
    ["e\u0301", 1],
    ["한".normalize("NFD"), 2],
    ["が".normalize("NFD"), 2],
    ["ꀀ", 2],
    ["का", 2],
    ["\u001b[1mbold\u001b[22m", 4],
    ["\u001b[38;5;12m你\u001b[39m", 2],
  ])("of %j is %i", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  test("of a long text takes linear time", () => {
    const spent = processorTime();
    expect(widthOf("你👨‍👩‍👧".repeat(20_000))).toBe(80_000);
    expect(spent()).toBeLessThan(3000);
  });
});

describe("a wrapped line", () => {
  test("breaks at words, and within a word that is longer than a line", () => {
    expect(wrapped("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
    expect(wrapped("an extraordinarily long one", 8)).toEqual(["an", "extraord", "inarily", "long one"]);
    expect(wrapped("abc", 1)).toEqual(["a", "b", "c"]);
    expect(wrapped("", 5)).toEqual([""]);
    expect(wrapped("abcd ", 4)).toEqual(["abcd"]);
  });

  test("keeps its indent, even before a word that is longer than a line", () => {
    expect(wrapped("    abcdefgh", 8)).toEqual(["   ", "abcdefgh"]);
    expect(wrapped("    abcdefghi", 8)).toEqual(["    abcd", "efghi"]);
  });

  test("never breaks a grapheme", () => {
    expect(wrapped("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 5)).toEqual(["👨‍👩‍👧👨‍👩‍👧", "👨‍👩‍👧"]);
    expect(wrapped("🇩🇪🇫🇷", 3)).toEqual(["🇩🇪", "🇫🇷"]);
    expect(wrapped("你好", 1)).toEqual(["你", "好"]);
  });

  test("breaks between ideographs, but not before their punctuation", () => {
    expect(wrapped("see 你好，世界", 8)).toEqual(["see 你", "好，世界"]);
    expect(wrapped("你好，世界", 4)).toEqual(["你", "好，", "世界"]);
  });

  test("closes all styles at a break and opens them again, palette colours too", () => {
    expect(wrapped("\u001b[1m\u001b[38;5;9maa bb\u001b[39m cc\u001b[22m", 2)).toEqual([
      "\u001b[1m\u001b[38;5;9maa\u001b[39m\u001b[22m",
      "\u001b[1m\u001b[38;5;9mbb\u001b[39m\u001b[22m",
      "\u001b[1mcc\u001b[22m",
    ]);
  });

  test("is never wider than the columns, and loses only spaces at breaks", () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 30 }), (line, columns) => {
        const found = wrapped(line, columns);
        for (const one of found) expect(widthOf(one)).toBeLessThanOrEqual(Math.max(columns, widest));
        const [before, after] = [line, found.join("")].map(stripVTControlCharacters) as [string, string];
        expect(after.replaceAll(" ", "")).toBe(before.replaceAll(" ", ""));
        expect(before.length - after.length).toBeLessThanOrEqual(found.length);
        expect(before.length - after.length).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1000 },
    );
  });

  test("does not break a word that fits into a line", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 30 }), (all, columns) => {
        expect(wrapped(all.join(" "), columns).join(" ")).toBe(all.join(" "));
      }),
    );
  });
});

test("a chopped line loses nothing", () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 30 }), (line, columns) => {
      const found = chopped(line, columns);
      expect(stripVTControlCharacters(found.join(""))).toBe(stripVTControlCharacters(line));
      for (const one of found) expect(widthOf(one)).toBeLessThanOrEqual(Math.max(columns, widest));
    }),
  );
});

describe("a clipped text", () => {
  test("says that something is missing and closes its styles", () => {
    expect(clipped("abcdef", 4)).toBe("abc…");
    expect(clipped("abcd", 4)).toBe("abcd");
    expect(clipped(bold("abcdef"), 4)).toBe("\u001b[1mabc…\u001b[22m");
    expect(clipped("你好吗", 4)).toBe("你…");
    expect(clipped("ab", 1)).toBe("…");
    expect(clipped("ab", 0)).toBe("");
  });

  test("is never wider than the columns", () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 0, max: 30 }), (line, columns) => {
        expect(widthOf(clipped(line, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe("a folded text", () => {
  test("breaks at words, and its continued lines are indented and marked", () => {
    expect(folded("[3]  run_command npm test --silent --workspaces", 30)).toBe(
      "[3]  run_command npm test\n     ↪ --silent --workspaces",
    );
    expect(folded("      | a long line of what a command printed", 30)).toBe(
      "      | a long line of what a\n        ↪ command printed",
    );
    expect(folded("[123] read_file a/rather/long/path.ts from line 7", 34)).toContain("\n      ↪ ");
    expect(folded("A sentence is no item, and is not indented.\n\nNor is a short line.", 30)).toBe(
      "A sentence is no item, and is\nnot indented.\n\nNor is a short line.",
    );
  });

  test("tells a broken word from two words", () => {
    const word = "x".repeat(30);
    expect(folded(`  rm ${word}/`, 30).split("\n")).toEqual(["  rm", `  ↪ ${"x".repeat(26)}`, "  ↪xxxx/"]);
    expect(folded(`  rm -rf ${"x".repeat(21)} /`, 30).split("\n")).toEqual([`  rm -rf ${"x".repeat(21)}`, "  ↪ /"]);
  });

  test("has spaces in place of tabs, and takes time that grows with its length alone", () => {
    expect(folded("a\tbc\td", 80)).toBe("a       bc      d");
    const spent = processorTime();
    expect(folded("\ta".repeat(50_000), 80).length).toBeGreaterThan(400_000);
    expect(spent()).toBeLessThan(2000);
  });

  test("has its styles on every line, outside of the mark", () => {
    const [first, second] = folded(`  ${good("+ one two three four five six seven")}`, 24).split("\n");
    expect(first).toBe(`  ${good("+ one two three four")}`);
    expect(second).toBe(`  ↪ ${good("five six seven")}`);
  });

  test("has no line that is too wide, and all its words in their order, whatever it says", () => {
    const line = fc.array(fc.constantFrom(...characters, "  +", "[7]  ", "\t", good("green")), { maxLength: 40 });
    fc.assert(
      fc.property(line, fc.integer({ min: 2, max: 40 }), (parts, columns) => {
        const lines = folded(parts.join(""), columns).split("\n");
        for (const one of lines) expect(widthOf(one)).toBeLessThanOrEqual(Math.max(2, columns));
        const letters = (text: string): string => stripVTControlCharacters(text).replace(/[\s↪]/g, "");
        expect(letters(lines.join(""))).toBe(letters(parts.join("")));
      }),
    );
  });
});
