import { expect, test } from "vitest";
import { sectionsOf, textOfSection } from "../../../src/cli/docs/sections.js";

const text = [
  "# A *page*",
  "",
  "Begin.",
  "",
  "## One",
  "",
  "```md",
  "## No heading",
  "```",
  "",
  "### Deep `code`",
  "",
  "Far.",
  "",
  "## One",
  "",
  "Again.",
  "",
].join("\n");
const page = { name: "a", path: "docs/a.md", title: "A page", about: "", group: "", isOptional: false, text };

test("each heading begins a section, with the headings above it, its name in an address and its line", () => {
  expect(sectionsOf(page).map(({ headings, anchor, line }) => [headings.join(" > "), anchor, line])).toEqual([
    ["A page", "a-page", 1],
    ["A page > One", "one", 5],
    ["A page > One > Deep code", "deep-code", 11],
    ["A page > One", "one-1", 15],
  ]);
});

test("a heading in a block of code is none, and code is no prose", () => {
  const one = sectionsOf(page)[1];
  expect(one?.lines).toContain("## No heading");
  expect(one?.prose.join("")).toBe("");
});

test("the text of a section has the sections below it, up to the next heading of its level", () => {
  expect(textOfSection(page, "one")).toBe(`${text.split("\n").slice(4, 13).join("\n")}\n`);
  expect(textOfSection(page, "one-1")).toBe("## One\n\nAgain.\n");
  expect(textOfSection(page, "two")).toBeUndefined();
});
