// The search for openers finds what a regular expression of all openers finds.

import { expect, test } from "vitest";
import { OpenerSearch } from "../../../src/core/secret/opener-search.js";

const openers = [
  "?",
  "&",
  "q~",
  "sk-",
  "sk-proj-",
  "secret",
  "_pass",
  "-----begin ",
  "://",
  "$6$",
  "[redacted: ",
  "ünlü-wert",
];
// The second half is found besides those of a base.
const half = openers.length / 2;
const search = new OpenerSearch(openers.slice(half), new OpenerSearch(openers.slice(0, half)));
const expression = new RegExp(openers.map((opener) => opener.replace(/[$?[\]]/g, "\\$&")).join("|"), "gi");

function found(text: string): readonly number[] {
  const places: number[] = [];
  for (let at = search.next(text, 0); at >= 0; at = search.next(text, at + 1)) places.push(at);
  return places;
}

function expected(text: string): readonly number[] {
  const places: number[] = [];
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    places.push(match.index);
    expression.lastIndex = match.index + 1;
  }
  return places;
}

test("each opener is found at the start, in the middle and at the end, in any case of letters", () => {
  for (const opener of openers) {
    for (const text of [opener, opener.toUpperCase().replaceAll("Ü", "ü"), `a ${opener} b`, `x${opener}`]) {
      expect(found(text)).toContain(text.toLowerCase().indexOf(opener));
      expect(found(text)).toEqual(expected(text));
    }
  }
});

test("random texts of the characters of openers give the places of the regular expression", () => {
  const characters = Array.from(new Set(`${openers.join("")}SKPB 1\u0000\uFFFF\u017F`));
  let state = 7;
  for (let round = 0; round < 3000; round += 1) {
    const pieces = Array.from({ length: 12 }, () => {
      state = (state * 48271) % 0x7fffffff;
      const opener = openers[state % 37] ?? characters[state % characters.length] ?? "";
      return state % 3 === 0 ? opener.slice(0, state % 5) : opener;
    });
    const text = pieces.join("");
    expect(found(text)).toEqual(expected(text));
  }
});

test("a text may continue to an opener if it begins one", () => {
  for (const beginning of ["s", "se", "secret", "-----begin", "$6"]) expect(search.mayContinue(beginning)).toBe(true);
  for (const other of ["x", "ecret", "secrets", "S", ""]) expect(search.mayContinue(other)).toBe(false);
  expect(search.longest).toBe(11);
});
