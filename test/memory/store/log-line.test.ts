import { describe, expect, test } from "vitest";
import { appendAll, checkLine, linesIn } from "../../../src/memory/store/log-line.js";

describe("the lines in the bytes of a log", () => {
  test.each<[string, readonly string[]]>([
    ["", []],
    ["\n", [""]],
    ["one", ["one"]],
    ["one\n", ["one"]],
    ["one\n\ntwo\n", ["one", "", "two"]],
    ["é\r\n€\n", ["é\r", "€"]],
  ])("of %j, from each number on", (text, lines) => {
    for (let from = 0; from < 5; from += 1) expect(linesIn(Buffer.from(text), from)).toEqual(lines.slice(from));
  });

  test("are whole where a log is decoded in pieces, and if one of them is longer than a piece", () => {
    const piece = 64 * 1024 * 1024;
    const bytes = Buffer.alloc(2 * piece + 40, "x");
    const feeds = [piece - 3, piece + 5, 2 * piece + 20];
    for (const feed of feeds) bytes[feed] = 10;
    // A character of two bytes across the end of the first piece.
    bytes.write("é", piece - 1);
    const lines = linesIn(bytes);
    expect(lines.map((line) => Buffer.byteLength(line))).toEqual([piece - 3, 7, piece + 14, 19]);
    expect(lines[1]).toBe("xéxxxx");
    expect(linesIn(bytes, 3)).toEqual(["x".repeat(19)]);
  });
});

test("a whole log is appended in order, in portions, and flushed with the last of them", async () => {
  for (const count of [0, 1, 1000, 2001]) {
    const lines = Array.from({ length: count }, (_none, index) => `line ${String(index)}`);
    const appends: [number, boolean][] = [];
    const kept: string[] = [];
    const append = async (portion: readonly string[], flush: boolean): Promise<void> => {
      kept.push(...portion);
      appends.push([portion.length, flush]);
    };
    await appendAll({ append }, lines);
    expect(kept).toEqual(lines);
    expect(appends.filter(([, flush]) => flush)).toHaveLength(Math.min(1, count));
    expect(appends.every(([length]) => length <= 1000)).toBe(true);
    expect(appends.at(-1)?.[1] ?? true).toBe(true);
  }
});

test("a line with a line feed or a NUL is refused", () => {
  expect(checkLine("one\r")).toBe("one\r");
  for (const line of ["a\nb", "a\0b", "\n"])
    expect(() => checkLine(line)).toThrow(expect.objectContaining({ code: "store" }));
});
