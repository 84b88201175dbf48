// Markdown in the terminal, for any text: it fits the columns, is safe, and takes no longer than its length asks for.

import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { colouredLook, plainLook } from "../../../../src/cli/chat/style/look.js";
import { visibleWords } from "../../../../src/cli/display/visible.js";
import { markdownLines, mostCharacters } from "../../../../src/cli/chat/markdown/markdown.js";
import { characterWidth, charactersOf, widthOf } from "../../../../src/cli/display/width.js";
import { processorTime } from "../../../processor-time.js";

const pieces = fc.constantFrom(
  ..."# |## |- |* |1. |> |```|~~~|`|**|__|*|_|~~|[|](|]|)|![|<b>|<!--|\n|\n\n|\r\n|    |\t| | a |word|a\\|b|\\||-\\|-|\\|:-:\\||---|===|- [ ] |&amp;|&#27;|&lt;|\\*|http://a.b/c|[a]: x|你好|👨‍👩‍👧|\u202e|\u001b[31m|\u200b|\u0000|\u009b|\u2028"
    .split(/(?<!\\)\|/)
    .map((piece) => piece.replaceAll("\\|", "|")),
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 60 }).map((all) => all.join("")),
  fc.string({ unit: "binary", maxLength: 200 }),
);

/** True if one character of the text takes columns. A spacing mark makes an ideograph three columns wide. */
const isOneCharacter = (text: string): boolean =>
  charactersOf(text).filter((character) => characterWidth(character) > 0).length === 1;

describe("for any text", () => {
  test("no line is wider than the columns, and only words reach the terminal", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 90 }), fc.boolean(), (text, columns, isPlain) => {
        for (const line of markdownLines(text, { columns, look: isPlain ? plainLook : colouredLook })) {
          const words = isPlain ? line : line.replace(/\u001b\[\d+m/g, "");
          expect(widthOf(line) <= columns || isOneCharacter(words), `${words} in ${String(columns)} columns`).toBe(
            true,
          );
          expect(visibleWords(words)).toBe(words);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("colours change nothing but colours", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const look = { ...plainLook, marks: false };
        // A style may keep an invisible space at the end of a line.
        const seen = (line: string): string => stripVTControlCharacters(line).trimEnd();
        const plainLines = markdownLines(text, { columns: 1000, look }).map(seen);
        expect(markdownLines(text, { columns: 1000, look: colouredLook }).map(seen)).toEqual(plainLines);
      }),
    );
  });

  test("the joined lines of code are the code", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z (){};=]{1,200}$/), fc.integer({ min: 6, max: 90 }), (code, columns) => {
        const lines = markdownLines(`~~~\n${code}\n~~~`, { columns, look: plainLook });
        expect(lines.map((line) => line.slice(2)).join("")).toBe(code);
      }),
    );
  });

  const many = (text: string): string => text.repeat(Math.ceil(100_000 / text.length)).slice(0, 100_000);
  test.each([
    ["brackets", many("[")],
    ["images in images", many("![")],
    ["stars", many("*a **b ")],
    ["underscores", many("_a")],
    ["underscores after words", many("a_")],
    ["many such paragraphs", many(`${"a_".repeat(1000)}\n\n`)],
    ["backticks", many("`a``b ")],
    ["quotes in quotes", many(">")],
    ["quotes and lists in turn", many("- > ")],
    ["numbers in numbers", many("1. ")],
    ["nested lists", Array.from({ length: 300 }, (_, depth) => `${" ".repeat(2 * depth)}- a`).join("\n")],
    ["an item of many lines", `- ${many("a\n")}`],
    ["a table of many cells", `|${"a|".repeat(16_000)}\n|${"-|".repeat(16_000)}\n${"a\n".repeat(16_000)}`],
    ["spaces", `a${many(" ")}b`],
    ["people", many("👨‍👩‍👧")],
    ["ideographs", many("你好")],
    ["tabs in code", `~~~\n${many("\ta")}`],
    ["control characters", many("\u0007")],
    ["no Markdown any more", many("*a* ").repeat(Math.ceil(mostCharacters / 100_000) + 1)],
  ])("it takes no longer than its length asks for: %s", (_, text) => {
    const spent = processorTime();
    expect(markdownLines(text, { columns: 80, look: colouredLook }).length).toBeGreaterThan(0);
    expect(spent()).toBeLessThan(5000);
  });
});
