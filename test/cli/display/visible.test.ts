// Text of a model or a tool on the screen: nothing in it is invisible, and prose keeps the joiners that it needs.

import { expect, test } from "vitest";
import { visible, visibleWords } from "../../../src/cli/display/visible.js";

const blanks = [
  "\u2800",
  "\u3164",
  "\u115f",
  "\u1160",
  "\uffa0",
  "\u034f",
  "\ufe0f",
  "\u{e0101}",
  "\u17b4",
  "\u180b",
  "\u200b",
  "\u00ad",
];

test.each(blanks.map((blank) => [blank.codePointAt(0)?.toString(16) ?? "", blank]))(
  "the blank character U+%s is shown by its number",
  (code, blank) => {
    expect(visible(`rm -rf x;${blank}npm test`)).toBe(`rm -rf x;\\u{${code}}npm test`);
    expect(visibleWords(`a${blank}b`)).toBe(`a\\u{${code}}b`);
  },
);

test("words and emoji keep what joins them", () => {
  for (const prose of ["می\u200cخواهم", "👩\u200d💻", "⚠\ufe0f", "1\ufe0f\u20e3", "ᠠ\u180bᠠ"])
    expect(visibleWords(prose)).toBe(prose);
});

test("tabs and line ends stay only in text of several lines", () => {
  expect(visible("a\tb\nc", { multiline: true })).toBe("a\tb\nc");
  expect(visible("a\tb\nc")).toBe("a\\tb\\nc");
});
