import { expect, test } from "vitest";
import { columnsOf, paragraph, twoColumns } from "../../../src/cli/display/paragraph.js";

test("a paragraph breaks between words, and never within one", () => {
  expect(paragraph("one two three", 7)).toEqual(["one two", "three"]);
  expect(paragraph("one two three", 80)).toEqual(["one two three"]);
  expect(paragraph("a considerable word", 6)).toEqual(["a", "considerable", "word"]);
});

test("explanations stand beside their terms, below long ones, and below all in a narrow terminal", () => {
  const rows = [
    ["--one", "the first of them"],
    [`--${"long".repeat(8)}`, "below"],
  ] as const;
  expect(twoColumns(rows, 40)).toEqual(["  --one  the first of them", `  --${"long".repeat(8)}`, "         below"]);
  expect(twoColumns(rows, 20)).toEqual([
    "  --one",
    "      the first of",
    "      them",
    `  --${"long".repeat(8)}`,
    "      below",
  ]);
});

test("the columns are those of COLUMNS, else of the stream, else 80", () => {
  expect(columnsOf({ columns: 100 }, { COLUMNS: "34" })).toBe(34);
  expect(columnsOf({ columns: 100 }, { COLUMNS: "wide" })).toBe(100);
  expect(columnsOf({ columns: 0 }, { COLUMNS: "" })).toBe(80);
  expect(columnsOf({}, {})).toBe(80);
});
