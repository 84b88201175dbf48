import { describe, expect, test } from "vitest";
import { isBlank, sound } from "../../../src/core/text/sound.js";

describe("a sound text", () => {
  test.each(["", "plain", "\u{1F511} 键 \u0000".slice(0, -1), "\u001b[1mbold\u001b[0m \u0007", "\ufffe\ufeff"])(
    "%j stays as it is",
    (text) => {
      expect(sound(text)).toBe(text);
    },
  );

  test.each([
    ["the first half of a character", "a\ud83d", "a\ufffd"],
    ["the second half", "\udd11b", "\ufffdb"],
    ["two halves the wrong way round", "\udd11\ud83d", "\ufffd\ufffd"],
    ["U+0000", "a\0b\0", "a\ufffdb\ufffd"],
    ["both", "\0\ud83d\u{1F511}", "\ufffd\ufffd\u{1F511}"],
  ])("has a sign in place of %s", (_what, text, mended) => {
    expect(sound(text)).toBe(mended);
  });
});

test.each([
  ["", true],
  [" \t\r\n\u00a0\u2003\u3000\ufeff", true],
  ["\u0085\u001c\u0007", true],
  [" a ", false],
  ["\u200d", false],
  ["\ufffd", false],
  ["\u{1F511}", false],
])("%j is blank: %s", (text, blank) => {
  expect(isBlank(text)).toBe(blank);
});
