// The words of macOS profiles: no path gets out of its string.

import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { below, named, quote, rule, ruleIfKnown } from "../../../src/shell/sandbox/seatbelt-words.js";

/** Reads the string that a text begins with, as the language does: a backslash takes the next character as it is. */
function readString(text: string): { readonly value: string; readonly rest: string } {
  let value = "";
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === '"') return { value, rest: text.slice(at + 1) };
    if (text[at] === "\\") at += 1;
    value += text[at] ?? "";
  }
  throw new Error(`the string does not end: ${text}`);
}

const paths = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom('"', "\\", ")", "(", "\n", ";", "#", "/", "a", "'", "|", "é"), { maxLength: 20 })
    .map((parts) => parts.join("")),
);

describe("the words of a profile", () => {
  test("have each path as one string, whatever is in it", () => {
    fc.assert(
      fc.property(paths, (path) => {
        expect(readString(quote(path))).toEqual({ value: path, rest: "" });
        const filter = below(path);
        expect(filter.startsWith("(subpath ")).toBe(true);
        expect(readString(filter.slice("(subpath ".length))).toEqual({ value: path, rest: ")" });
      }),
      { numRuns: 2000 },
    );
  });

  test("find names in a folder, and the folder's own name is no pattern", () => {
    fc.assert(
      fc.property(paths, (text) => {
        const path = `/w${text}`;
        const forms = named(path, [".env", "*.pem"]).map((filter) => {
          const { value, rest } = readString(filter.slice("(regex ".length));
          expect(rest).toBe(")");
          return new RegExp(value, "s");
        });
        const isFound = (at: string): boolean => forms.some((form) => form.test(at));
        for (const name of [".env", ".ENV", "a/.env", "a/b/x.pem", ".env/x", ".pem"])
          expect(isFound(`${path}/${name}`), name).toBe(true);
        for (const name of ["env", "x.env", ".envx", "a/.env2", "pem", "xpem"])
          expect(isFound(`${path}/${name}`), name).toBe(false);
        expect(isFound(`/elsewhere${path}/.env`)).toBe(false);
      }),
    );
  });

  test("make no rule about everything out of no filters", () => {
    expect(rule("deny", "file-read*", [])).toEqual([]);
    expect(rule("deny", "file-read*", ['(literal "/a")', '(literal "/a")'])).toEqual([
      '(deny file-read*\n  (literal "/a"))',
    ]);
    expect(ruleIfKnown("deny", ["lsopen"])).toEqual(["(if (defined? 'lsopen) (deny lsopen))"]);
  });
});
