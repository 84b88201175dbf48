// Look-alikes in an approval: a letter that a person takes for another one is named.

import { expect, test } from "vitest";
import { lookAlikes } from "../../../src/cli/display/look-alikes.js";

test.each([
  ["npm run t\u0435st", 'Look out: in "t\u0435st" one letter is not what it looks like (U+0435, Cyrillic).'],
  ["cat c\u03bfnfig", 'Look out: in "c\u03bfnfig" one letter is not what it looks like (U+03BF, Greek).'],
  ["r\uff4d -rf x", 'Look out: in "r\uff4d" one letter is not what it looks like (U+FF4D, a fullwidth letter).'],
  ["s\u{1d5bd}f", 'Look out: in "s\u{1d5bd}f" one letter is not what it looks like (U+1D5BD, a mathematical letter).'],
])("%s is told", (text, said) => {
  expect(lookAlikes(text)).toEqual([said]);
});

test("words of one script, with other words beside them or joined by a hyphen, are what they look like", () => {
  for (const text of [
    "npm run test",
    "echo привет мир",
    "npm-пакет",
    "grep λ src",
    "größe naïve Ångström",
    "日本語 x1",
  ])
    expect(lookAlikes(text)).toEqual([]);
});

test("a word is named once, and no more than three words are", () => {
  expect(lookAlikes("t\u0435st t\u0435st")).toHaveLength(1);
  expect(lookAlikes("a\u0435 b\u0435 c\u0435 d\u0435")).toHaveLength(3);
});
