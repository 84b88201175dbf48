import fc from "fast-check";
import { expect, test } from "vitest";
import { inputLines } from "../../../src/cli/chat/input-lines.js";
import { widthOf } from "../../../src/cli/chat/width.js";

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

test("nothing is wider than the screen, the cursor is on it, and every character is in a line", () => {
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
