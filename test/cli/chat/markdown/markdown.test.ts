// Markdown in the terminal: its look at several widths, and its safety for any text.

import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { colouredLook, plainLook } from "../../../../src/cli/chat/style/look.js";
import { visibleWords } from "../../../../src/cli/display/visible.js";
import { markdownLines, mostCharacters } from "../../../../src/cli/chat/markdown/markdown.js";
import { characterWidth, charactersOf, widthOf } from "../../../../src/cli/display/width.js";
import { processorTime } from "../../../processor-time.js";

const shown = (text: string, columns = 80): string => markdownLines(text, { columns, look: plainLook }).join("\n");
const coloured = (text: string, columns = 80): string =>
  markdownLines(text, { columns, look: colouredLook }).join("\n");

const pieces = fc.constantFrom(
  ..."# |## |- |* |1. |> |```|~~~|`|**|__|*|_|~~|[|](|]|)|![|<b>|<!--|\n|\n\n|\r\n|    |\t| | a |word|a\\|b|\\||-\\|-|\\|:-:\\||---|===|- [ ] |&amp;|&#27;|&lt;|\\*|http://a.b/c|[a]: x|你好|👨‍👩‍👧|\u202e|\u001b[31m|\u200b|\u0000|\u009b|\u2028"
    .split(/(?<!\\)\|/)
    .map((piece) => piece.replaceAll("\\|", "|")),
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 60 }).map((all) => all.join("")),
  fc.string({ unit: "binary", maxLength: 200 }),
);

describe("the look of a text", () => {
  const text = [
    "# A title",
    "Some **bold**, *italic* and ~~gone~~ words, `npm test`, [docs](https://a.b/?c&amp;d) and https://a.b.",
    "",
    "1. one",
    "2. two",
    "   - nested and long enough to be wrapped",
    "",
    "- [ ] open",
    "- [x] done",
    "",
    "> quote",
    "> more",
    "",
    "```ts",
    "if (a) {\r",
    "\treturn 'and not wrapped at words';",
    "```",
    "---",
    "![alt](a.png) &lt;b&gt; <br>",
  ].join("\n");

  test("at 80 columns", () => {
    expect(shown(text)).toBe(`# A title
Some **bold**, *italic* and ~~gone~~ words, \`npm test\`, docs (https://a.b/?c&d)
and https://a.b.

1. one
2. two
   - nested and long enough to be wrapped

- [ ] open
- [x] done

| quote
| more

  if (a) {
      return 'and not wrapped at words';
----------------------------------------
[image: alt (a.png)] <b> <br>`);
  });

  test("at 40 columns", () => {
    expect(shown(text, 40)).toBe(`# A title
Some **bold**, *italic* and ~~gone~~
words, \`npm test\`, docs
(https://a.b/?c&d) and https://a.b.

1. one
2. two
   - nested and long enough to be
     wrapped

- [ ] open
- [x] done

| quote
| more

  if (a) {
      return 'and not wrapped at words';
----------------------------------------
[image: alt (a.png)] <b> <br>`);
  });

  test("at 12 columns", () => {
    expect(shown("2. two\n   - nested and long\n\n> quoted words\n\n```\nlet a = [1, 2];\n```", 12)).toBe(`2. two
   - nested
     and
     long

| quoted
| words

  let a = [1
  , 2];`);
  });

  test("in colours, each word with its own", () => {
    expect(coloured("a **b *c*** `d` [e](f)")).toBe(
      "a \u001b[1mb \u001b[22m\u001b[3m\u001b[1mc\u001b[22m\u001b[23m \u001b[36md\u001b[39m \u001b[4me\u001b[24m\u001b[2m (f)\u001b[22m",
    );
    expect(coloured("## T")).toBe("\u001b[1m\u001b[4m##\u001b[24m\u001b[22m \u001b[1m\u001b[4mT\u001b[24m\u001b[22m");
  });

  test("tables are aligned if they fit, else each row is a list", () => {
    const table = "| Name | Count |\n|:--|--:|\n| one | 1 |\n| **twelve** | 12 |\n| | 3 |";
    expect(shown(table, 40)).toBe(`Name       | Count
-----------+------
one        |     1
**twelve** |    12
           |     3`);
    expect(shown(table, 12)).toBe("Name: one\nCount: 1\n\nName:\n**twelve**\nCount: 12\n\nCount: 3");
  });

  test("numbers are those of the text, and counted up if all are the same", () => {
    expect(shown("1. a\n1. b\n10. c")).toBe("1. a\n2. b\n10. c");
    expect(shown("3) a\n4) b")).toBe("3) a\n4) b");
  });

  test("a name with underscores around it keeps them", () => {
    expect(stripVTControlCharacters(coloured("call __init__ now"))).toBe("call __init__ now");
  });

  test("links show their address unless their words do", () => {
    expect(shown("[https://good.example](https://evil.example) <me@a.b> www.a.b")).toBe(
      "https://good.example (https://evil.example) me@a.b www.a.b",
    );
  });

  test("a line under a title is kept, and so are HTML and definitions", () => {
    expect(shown("Title\n---\n<p>\n<!-- x -->\n</p>\n\n[a]: b")).toBe("Title\n---\n<p>\n<!-- x -->\n</p>\n\n[a]: b");
  });

  test("entities are decoded once, and not in code", () => {
    expect(shown("&amp;lt; &#65; &unknown; `&amp;`")).toBe("&lt; A &unknown; `&amp;`");
  });

  test("words keep their joiners, code and addresses keep none", () => {
    const family = "👩\u200d👧";
    expect(shown(family)).toBe(family);
    expect(shown(`\`${family}\``)).toContain("👩\\u{200d}👧");
    expect(shown(`\`\`\`\n${family}\n\`\`\``)).toContain("👩\\u{200d}👧");
    expect(shown(`[a](http://${family})`)).toContain("http://👩\\u{200d}👧");
  });

  test("a diff has its colours, and shows its hidden characters", () => {
    expect(coloured("```diff\n@@ -1 +1 @@\n-a\u001b\n+b\n c\n```").split("\n")).toEqual([
      "  \u001b[2m@@ -1 +1 @@\u001b[22m",
      "  \u001b[31m-a\\u{1b}\u001b[39m",
      "  \u001b[32m+b\u001b[39m",
      "   c",
    ]);
  });
});

describe("an incomplete text", () => {
  test.each([
    ["```ts\nconst a", "  const a"],
    ["```", ""],
    ["so **open", "so **open"],
    ["a `tick", "a `tick"],
    ["a [link](http", "a [link](http"],
    ["- one\n-", "- one\n-"],
    ["| a | b |\n|--", "| a | b |\n|--"],
  ])("%j", (text, lines) => {
    expect(shown(text)).toBe(lines);
  });
});

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

  test("a character of three columns gets a line of its own", () => {
    expect(markdownLines("a𠀀𑂷b", { columns: 2, look: plainLook })).toEqual(["a", "𠀀𑂷", "b"]);
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
