// Plain text: the same text remains of a terminal's output, wherever the chunks are cut.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainText } from "../../../src/shell/output/plain-text.js";
import { processorTime } from "../../processor-time.js";

function plain(...pieces: readonly (string | Uint8Array)[]): string {
  const text = plainText();
  const said = pieces.map((piece) => text.add(typeof piece === "string" ? Buffer.from(piece) : piece));
  return said.join("") + text.end();
}

describe("plain text", () => {
  test.each([
    ["colours", "\u001B[1;31mred\u001B[0m \u001B[38;2;1;2;3mmore\u001B[m", "red more"],
    ["colours with colons", "\u001B[4:3mwavy\u001B[24m", "wavy"],
    ["cursor movements and modes", "\u001B[2J\u001B[H\u001B[?25lx\u001B[3;4Hy\u001B[1 q", "xy"],
    ["a title", "\u001B]0;a title\u0007text", "text"],
    ["a title that ends with ST", "\u001B]2;a title\u001B\\text", "text"],
    ["a link", "\u001B]8;;https://example.com\u001B\\words\u001B]8;;\u001B\\.", "words."],
    ["the clipboard", "\u001B]52;c;aGk=\u0007x", "x"],
    [
      "device control, privacy, application and start of string",
      "\u001BPa\u001B\\\u001B^b\u001B\\\u001B_c\u001B\\\u001BXd\u001B\\x",
      "x",
    ],
    ["character sets and short sequences", "\u001B(B\u001B)0\u001B7\u001B8\u001B=\u001BM\u001Bcx", "x"],
    ["sequences of one C1 character", "\u009B31mred\u009B0m\u009D0;title\u009C\u0090q\u009Cx\u0085y", "redxy"],
    ["bell, backspace, NUL, delete and other controls", "a\u0007b\bc\0d\u007Fe\u000Bf\fg\u0001", "abcdefg"],
    ["tabs and newlines, which stay", "a\tb\n\n\tc", "a\tb\n\n\tc"],
    ["a sequence that is broken off", "a\u001B[31", "a"],
    ["a sequence that is given up", "a\u001B[3\u0018b\u001B]0;x\u001Ac", "abc"],
    ["a sequence within another", "\u001B[3\u001B[31mx\u001B]0;t\u001B[1my", "xy"],
    ["a title that never ends, which ends with its line", "a\u001B]0;title\nb\u001B[\nc", "a\nb\nc"],
    ["an escape before a letter that is none", "\u001B\u00E9x\u001B[\u00E9y", "\u00E9x\u00E9y"],
    ["letters of other scripts and emoji", "\u00E9 \u4E2D \u{1F600}", "\u00E9 \u4E2D \u{1F600}"],
  ])("of %s", (_what, printed, left) => {
    expect(plain(printed)).toBe(left);
  });

  test("of bytes that are no UTF-8 has replacements", () => {
    expect(plain(Buffer.from([0x61, 0xff, 0x62, 0xc3]))).toBe("a\uFFFDb\uFFFD");
    expect(plain(Buffer.from([0xe4, 0xb8]), Buffer.from([0xad]))).toBe("\u4E2D");
    expect(plain("\uFEFFx")).toBe("\uFEFFx");
  });
});

describe("a line that is written over", () => {
  test.each([
    ["keeps its last state", "10%\r50%\r100%\ndone\n", "100%\ndone\n"],
    ["keeps it where nothing comes after the return", "10%\r100%\r", "100%"],
    ["keeps it where the return belongs to the newline", "one\r\ntwo\r\r\n", "one\ntwo\n"],
    ["is not begun anew by what can't be seen", "100%\r\u001B[K\n", "100%\n"],
    ["is begun anew after what can't be seen", "10%\r\u001B[Kdone", "done"],
  ])("%s", (_what, printed, left) => {
    expect(plain(printed)).toBe(left);
  });

  test("is kept where it is longer than what can be held back: a return begins a new line then", () => {
    const long = "x".repeat(5000);
    expect(plain(`${long}\rnext\rlast\n`)).toBe(`${long}\nlast\n`);
    expect(plain(`${long}\r\nnext`)).toBe(`${long}\nnext`);
  });

  test("is held back until it ends, and a long one is not", () => {
    const text = plainText();
    expect(text.add(Buffer.from("10%"))).toBe("");
    expect(text.add(Buffer.from("\r20%\nnext"))).toBe("20%\n");
    expect(text.add(Buffer.from("x".repeat(5000)))).toHaveLength(5004);
    expect(text.add(Buffer.from("more"))).toBe("more");
    expect(text.end()).toBe("");
  });
});

describe("however it is cut into pieces", () => {
  const parts = fc.oneof(
    fc.constantFrom(
      "\u001B",
      "[",
      "]",
      "\\",
      ";",
      "0",
      "m",
      "\r",
      "\n",
      "\u0007",
      "\u009B",
      "\u009D",
      "\u009C",
      "\u0018",
      "P",
    ),
    fc.constantFrom("\u00E9", "\u{1F600}", " text ", "x".repeat(3000)),
    fc.string({ maxLength: 4 }),
  );
  const bytes = fc.oneof(
    fc.array(parts, { maxLength: 40 }).map((all) => Buffer.from(all.join(""))),
    fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all)),
    fc
      .array(
        fc.oneof(
          parts.map((part) => Buffer.from(part)),
          fc.uint8Array({ maxLength: 3 }),
        ),
        { maxLength: 20 },
      )
      .map((all) => Buffer.concat(all)),
  );

  test("it is the same text", () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat()), (all, cuts) => {
        const places = [...new Set([0, ...cuts.map((cut) => cut % (all.length + 1)), all.length])].sort(
          (a, b) => a - b,
        );
        const pieces = places.slice(1).map((end, at) => all.subarray(places[at], end));
        expect(plain(...pieces)).toBe(plain(all));
        expect(plain(...[...all].map((byte) => Uint8Array.of(byte)))).toBe(plain(all));
      }),
      { numRuns: 2000 },
    );
  });

  test("it has no control character but tab and newline, and is plain already", () => {
    fc.assert(
      fc.property(bytes, (all) => {
        const text = plain(all);

        expect(text).not.toMatch(/[\0-\u0008\u000B-\u001F\u007F-\u009F]/);
        expect(plain(text)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["an open title", "\u001B]0;"],
    ["open sequences", "\u001B["],
    ["escapes", "\u001B"],
    ["returns", "\r"],
    ["written over lines", "x\r"],
    ["text", "xxxx"],
    ["short lines", "x\n"],
  ])("it takes linear time: %s", (_what, piece) => {
    const text = plainText();
    const chunk = Buffer.from(piece.repeat(65536 / piece.length));
    const spent = processorTime();
    for (let at = 0; at < 160; at += 1) text.add(chunk);
    text.end();
    expect(spent()).toBeLessThan(3000);
  });
});
