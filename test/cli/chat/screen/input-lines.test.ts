import fc from "fast-check";
import { expect, test } from "vitest";
import { inputLines } from "../../../../src/cli/chat/screen/input-lines.js";
import { edit, emptyEditor, withText } from "../../../../src/cli/chat/screen/editor.js";
import { widthOf } from "../../../../src/cli/display/width.js";
import { processorTime } from "../../../processor-time.js";

const layout = { prompt: "> ", columns: 10, rows: 5 };

test.each([
  ["", 0, ["> "], 0, 2],
  ["abc", 1, ["> abc"], 0, 3],
  ["abcdefghij", 10, ["> abcdefg", "  hij"], 1, 5],
  ["abcdefg", 7, ["> abcdefg", "  "], 1, 2],
  ["a\nb", 2, ["> a", "  b"], 1, 2],
  ["a\n", 2, ["> a", "  "], 1, 2],
  ["日本日本", 4, ["> 日本日", "  本"], 1, 4],
  ["1\n2\n3\n4\n5\n6\n7", 13, ["  3", "  4", "  5", "  6", "  7"], 4, 3],
  ["1\n2\n3\n4\n5\n6\n7", 0, ["> 1", "  2", "  3", "  4", "  5"], 0, 2],
])("%j with the cursor at %i", (text, at, lines, row, column) => {
  expect(inputLines(text, at, layout)).toEqual({ lines, cursor: { row, column } });
});

test("text far from the cursor is left out, and the shown part is the same as in the whole layout", () => {
  const texts = fc.array(fc.constantFrom("", "a", "日本日本日本", "a longer line than the screen"), { maxLength: 30 });
  fc.assert(
    fc.property(texts, fc.nat(), fc.integer({ min: 1, max: 8 }), (all, place, rows) => {
      const text = all.join("\n");
      const at = place % (text.length + 1);
      const whole = inputLines(text, at, { ...layout, rows: 1000 });
      const first = Math.max(0, Math.min(whole.cursor.row - Math.floor(rows / 2), whole.lines.length - rows));
      expect(inputLines(text, at, { ...layout, rows })).toEqual({
        lines: whole.lines.slice(first, first + rows),
        cursor: { ...whole.cursor, row: whole.cursor.row - first },
      });
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["10,000 lines", "a pasted line with some words in it, 日本\n".repeat(10_000)],
  ["one line", "日本word".repeat(50_000)],
])("%s were typed in for seconds a key, as the segmenter takes the square of what it is given", (_what, text) => {
  const time = processorTime();
  let editor = withText(emptyEditor(), `${text}b`);
  for (const name of ["left", "up", "w", "down"]) {
    editor = edit(editor, { type: "key", name, ctrl: name === "w", meta: false, shift: false }).editor;
    expect(inputLines(editor.text, editor.cursor, layout).lines.length).toBeLessThanOrEqual(5);
  }
  expect(time()).toBeLessThan(2000);
});

test("a line of any length is shown around its cursor, and does not shift as the cursor moves", () => {
  const text = Array.from({ length: 5000 }, (_none, index) => String(index % 10)).join("");
  const shown = (at: number): readonly string[] => inputLines(text, at, { ...layout, columns: 13 }).lines;
  expect(shown(0)[0]).toBe("> 0123456789");
  for (const at of [2003, 2007, 4205]) expect(new Set(shown(at))).toEqual(new Set(["  0123456789"]));
});

test("no line is wider than the screen, the cursor is on it, and every character is in a line", () => {
  const texts = fc.string({
    unit: fc.oneof(
      fc.constantFrom("\n", "日", "👩‍👩‍👧", "\t"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    ),
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 5, max: 30 }), fc.nat(), (text, columns, place) => {
      const at = place % (text.length + 1);
      const { lines, cursor } = inputLines(text, at, { prompt: "> ", columns, rows: 1000 });
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      expect(
        lines
          .map((line) => line.slice(2))
          .join("")
          .replace(/\s/g, ""),
      ).toBe(text.replace(/\s/g, ""));
      expect(cursor.row).toBeLessThan(lines.length);
      expect(cursor.column).toBeLessThan(columns);
    }),
    { numRuns: 500 },
  );
});
