// Prose: the comments of src state their subject first, use plain words, and are short.

import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import {
  commentsIn,
  commentsOf,
  pronounsForNouns,
  relativeOpenings,
  riddlesIn,
  wordsIn,
  type Sentence,
} from "./prose.js";

const root = resolve(import.meta.dirname, "..");
const { sentences, lines } = commentsIn(join(root, "src"), root);

/** The largest share of sentences that may open with a relative clause. */
const maxRelative = 0.01;
/** The largest share of sentences with a pronoun that stands for a noun. */
const maxPronouns = 0.01;
const maxWords = 40;
const maxCharacters = 140;

function shown({ at, text }: { readonly at: string; readonly text: string }): string {
  return `${at}: ${text}`;
}

describe("the comments of src", () => {
  test("are found", () => {
    expect(sentences.length).toBeGreaterThan(2000);
    expect(lines.length).toBeGreaterThan(2000);
  });

  test("open with their subject and not with a relative What, Where, Who, How or Which", () => {
    const found = relativeOpenings(sentences);
    const share = found.length / sentences.length;
    const words = `${String(found.length)} of ${String(sentences.length)} sentences open with a relative clause:\n`;
    expect(share, words + found.map(shown).join("\n")).toBeLessThan(maxRelative);
  });

  test("say the noun instead of a pronoun such as that of, the one or of them", () => {
    const found = pronounsForNouns(sentences);
    const share = found.length / sentences.length;
    const words = `${String(found.length)} of ${String(sentences.length)} sentences have a pronoun for a noun:\n`;
    expect(share, words + found.map(shown).join("\n")).toBeLessThan(maxPronouns);
  });

  test("have none of the turns that readers have to read twice", () => {
    expect(riddlesIn(sentences)).toEqual([]);
  });

  test("have sentences of at most 40 words", () => {
    expect(sentences.filter((sentence) => wordsIn(sentence) > maxWords).map(shown)).toEqual([]);
  });

  test("have lines of at most 140 characters", () => {
    expect(lines.filter(({ text }) => text.length > maxCharacters).map(shown)).toEqual([]);
  });
});

describe("the count of sentences", () => {
  function read(text: string): readonly Sentence[] {
    return commentsOf("a.ts", text).sentences;
  }

  test("finds leading, trailing and JSDoc comments, each with the line at which it begins", () => {
    const text = [
      "// Leading words.",
      "import a from 'a'; // Trailing words.",
      "// Another comment, which is",
      "// continued here. A second sentence.",
      "const text = '// no comment' + `${a /* Inside a template. */} // no comment either`;",
      "/** JSDoc words. */",
      "function f(/* A parameter. */) {",
      "  // Words at the end of a block.",
      "}",
      "interface I {",
      "  /**",
      "   * Several lines",
      "   * of words. More words.",
      "   * @throws Error if it fails.",
      "   */",
      "  f(): void; // Words of a member.",
      "}",
      "// Words at the end of the file.",
    ].join("\n");
    expect(read(text).map(({ at, text }) => `${at} ${text}`)).toEqual([
      "a.ts:1 Leading words.",
      "a.ts:2 Trailing words.",
      "a.ts:3 Another comment, which is continued here.",
      "a.ts:4 A second sentence.",
      "a.ts:5 Inside a template.",
      "a.ts:6 JSDoc words.",
      "a.ts:7 A parameter.",
      "a.ts:8 Words at the end of a block.",
      "a.ts:12 Several lines of words.",
      "a.ts:13 More words.",
      "a.ts:14 @throws Error if it fails.",
      "a.ts:16 Words of a member.",
      "a.ts:18 Words at the end of the file.",
    ]);
  });

  test("leaves out directives for tools", () => {
    const text =
      "/// <reference lib='dom' />\n\n// eslint-disable-next-line no-console\nf();\n/* v8 ignore next */\ng();";
    expect(read(text)).toEqual([]);
  });

  test("sees a relative opening of every kind, also after a colon, in a list and after a tag", () => {
    const planted = [
      "// What was shown is complete.",
      "f(); // Where it is cut, nothing runs.",
      "/** Whoever asks is told. */",
      "// One thing: How it ends.",
      "/**\n * A list:\n * - Which tool it is.\n * @throws What nobody expects.\n */",
      "// However large it is, it fits.",
    ];
    expect(planted.map((text) => relativeOpenings(read(text)).length)).toEqual([1, 1, 1, 1, 2, 1]);
  });

  test("takes no question, no word of code and no relative word within a sentence for one", () => {
    const text = "// Where is it? `What` is a word. However, that is what it is. The caller, who asks, is told.\nf();";
    expect(read(text)).toHaveLength(4);
    expect(relativeOpenings(read(text))).toEqual([]);
  });

  test("sees a pronoun of every kind, and counts a sentence once", () => {
    const planted = [
      "Its id is that of the input.",
      "Those of the run differ.",
      "The id is longer than that in the inbox.",
      "Those whose run is open come first.",
      "The process does not wait for that one.",
      "It is a call, or one that waits.",
      "A session without one whose run is open.",
      "Any other one is refused.",
      "A longer one is cut.",
      "It reads the next one.",
      "The session is the one before.",
      "Later ones are dropped.",
      "Others are stopped.",
      "The package is another copy than ours.",
      "It keeps a part of it.",
      "Each of them has a name of its own.",
      "None of the files is read.",
      "Whoever calls is told.",
    ];
    const isFound = (text: string): boolean => pronounsForNouns(read(`// ${text}\nf();`)).length === 1;
    expect(planted.filter((text) => !isFound(text))).toEqual([]);
  });

  test("takes no determiner before its noun, no number and no word of code for a pronoun", () => {
    const text = [
      "// Those files are read one after the other, one by one, and it says that one call of these is open.",
      "// The caller, who has one, gets the id that the input has; `that of` and `the one` are words.",
      "// Another call has no id.",
    ].join("\n");
    expect(read(`${text}\nf();`)).toHaveLength(3);
    expect(pronounsForNouns(read(`${text}\nf();`))).toEqual([]);
  });

  test("names a riddle with its place and its replacement", () => {
    const text = "f();\n// A run in the midst of a call.\n// The session is gone on with; `half of a pair` is code.\n";
    expect(riddlesIn(read(text))).toEqual([
      'a.ts:2: instead of "in the midst of" write during, or within: A run in the midst of a call.',
      'a.ts:3: instead of "is gone on with" write is resumed, or is continued: The session is gone on with; `half of a pair` is code.',
    ]);
  });

  test("counts words, with inline code as one, and measures the lines of comments alone", () => {
    const text = `// One two three, \`four five\` six.\nconst a = "${"x".repeat(200)}";\nf(); // ${"y".repeat(200)}\n`;
    expect(read(text).map(wordsIn)).toEqual([5, 1]);
    expect(commentsOf("a.ts", text).lines.map(({ at, text }) => [at, text.length])).toEqual([
      ["a.ts:1", 34],
      ["a.ts:3", 208],
    ]);
  });
});
