import { expect, test } from "vitest";
import { nearest } from "../../../src/cli/display/misspelling.js";

const names = ["model", "chat", "resume", "sessions", "max-iterations"];

test.each([
  ["modle", "model"],
  ["model", "model"],
  ["mode", "model"],
  ["moddel", "model"],
  ["MODEL", "model"],
  ["mudel", "model"],
  ["chta", "chat"],
  ["resum", "resume"],
  ["rseume", "resume"],
  ["sesion", "sessions"],
  ["max-itrations", "max-iterations"],
])("a slip is seen: %s is %s", (word, name) => {
  expect(nearest(word, names)).toBe(name);
});

test.each(["", "c", "tests", "mdole", "presume it", "noodles", "session-list"])("%j is none of the names", (word) => {
  expect(nearest(word, names)).toBe(undefined);
});

test("of two names the closer one is meant", () => {
  expect(nearest("quiets", ["quietest", "quiet"])).toBe("quiet");
});
