import { expect, test } from "vitest";
import { lookAlike } from "../../../src/tools/edit/look-alike.js";

test.each([
  ["a no-break space", "the list in\u00a0current use", "list in current", "U+00A0 where the search has U+0020"],
  ["an accent apart", "le cafe\u0301 est bon", "le caf\u00e9 est bon", "U+0065 U+0301 where the search has U+00E9"],
  ["a letter of one piece", "caf\u00e9", "cafe\u0301", "U+00E9 where the search has U+0065 U+0301"],
  ["a curly quote", "say \u201chello\u201d", 'say "hello"', "U+201C where the search has U+0022"],
  ["a dash", "1\u20132", "1-2", "U+2013 where the search has U+002D"],
  ["a zero-width space", "data\u200bbase", "database", "U+0061 U+200B where the search has U+0061"],
  ["a wide letter", "\uff21BC", "ABC", "U+FF21 where the search has U+0041"],
])("an edit failed for %s, and its words showed two equal lines; they name it", (_what, line, search, words) => {
  expect(lookAlike(line, search)).toBe(` They look alike: the file has ${words}.`);
});

test.each([
  ["the same", "abc", "abc"],
  ["within ASCII", "a\tb", "a b"],
  ["other words", "caf\u00e9 noir", "the au lait"],
  ["nothing", "", ""],
])("says nothing of lines that are %s", (_what, line, search) => {
  expect(lookAlike(line, search)).toBe("");
});
