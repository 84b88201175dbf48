// Markdown in the terminal: its look at several widths.

import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { colouredLook, plainLook } from "../../../../src/cli/chat/style/look.js";
import { markdownLines } from "../../../../src/cli/chat/markdown/markdown.js";

const shown = (text: string, columns = 80): string => markdownLines(text, { columns, look: plainLook }).join("\n");
const coloured = (text: string, columns = 80): string =>
  markdownLines(text, { columns, look: colouredLook }).join("\n");

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

test("a character of three columns gets a line of its own", () => {
  expect(markdownLines("a𠀀𑂷b", { columns: 2, look: plainLook })).toEqual(["a", "𠀀𑂷", "b"]);
});
