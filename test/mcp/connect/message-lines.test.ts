import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MessageLines, type OversizedLine } from "../../../src/mcp/connect/message-lines.js";

/** What the lines of a text are, if it comes in these pieces. */
function read(pieces: readonly Buffer[], most: number): { lines: string[]; over: OversizedLine[]; endless: number[] } {
  const [lines, over, endless]: [string[], OversizedLine[], number[]] = [[], [], []];
  const reader = new MessageLines(
    {
      line: (text) => lines.push(text),
      oversized: (line) => over.push(line),
      endless: (bytes) => endless.push(bytes),
    },
    most,
  );
  for (const piece of pieces) reader.write(piece);
  return { lines, over, endless };
}

describe("lines of messages", () => {
  it("are the same however the bytes come in pieces", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.array(fc.nat(20)), (texts, cuts) => {
        const lines = texts.map((text) => text.replaceAll("\n", ""));
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const pieces: Buffer[] = [];
        let from = 0;
        for (const size of cuts) {
          pieces.push(bytes.subarray(from, from + size));
          from += size;
        }
        pieces.push(bytes.subarray(from));
        expect(read(pieces, 1000).lines).toEqual(lines.filter((line) => line !== ""));
      }),
    );
  });

  it("that are too long are told with their size and both their ends, and the next line is read", () => {
    const long = `{"id":7,${"x".repeat(2000)},"id":8}`;
    const { lines, over } = read(
      [Buffer.from(`a\n${long.slice(0, 900)}`), Buffer.from(`${long.slice(900)}\nb\n`)],
      1000,
    );
    expect(lines).toEqual(["a", "b"]);
    expect(over).toEqual([{ bytes: long.length, edges: expect.stringMatching(/^\{"id":7,x+ x+,"id":8\}$/) as string }]);
  });

  it("that never end are told once, and nothing of them is kept", () => {
    const piece = Buffer.alloc(1000, "x");
    const { lines, endless } = read(
      Array.from({ length: 20 }, () => piece),
      1000,
    );
    expect([lines, endless]).toEqual([[], [9000]]);
  });
});
