import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edit, emptyEditor, withText, type Editor } from "../../../../src/cli/chat/screen/editor.js";
import type { Press } from "../../../../src/cli/chat/screen/keys.js";

function key(name: string): Press {
  const parts = name.split("-");
  const has = (part: string): boolean => parts.slice(0, -1).includes(part);
  return { type: "key", name: parts.at(-1) ?? "", ctrl: has("ctrl"), meta: has("meta"), shift: false };
}

/** The editor after these presses: words in capitals are keys. */
function after(editor: Editor, ...presses: readonly string[]): Editor {
  return presses.reduce((now, press) => {
    const name = /^<(.+)>$/.exec(press)?.[1];
    return edit(now, name === undefined ? { type: "text", text: press } : key(name)).editor;
  }, editor);
}

/** The text, with a bar at the cursor. */
function shown({ text, cursor }: Editor): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const family = "👩‍👩‍👧";

test.each<readonly [readonly string[], string]>([
  [["ab", "<left>", "x"], "ax|b"],
  [["ab", "<ctrl-a>", "x", "<end>", "y"], "xaby|"],
  [["one two", "<ctrl-w>"], "one |"],
  [["one two", "<meta-b>", "<ctrl-k>"], "one |"],
  [["one two", "<ctrl-u>", "<ctrl-y>", "<ctrl-y>"], "one twoone two|"],
  [["one, two", "<home>", "<meta-f>", "<meta-f>", "!"], "one, two!|"],
  [[`a${family}`, "<left>", "b"], `ab|${family}`],
  [[`a${family}e\u0301`, "<backspace>", "<backspace>"], "a|"],
  [["ab", "<home>", "<delete>"], "|b"],
  [["ab", "<home>", "<backspace>", "<left>"], "|ab"],
  [["ab", "<delete>", "<right>"], "ab|"],
  [["a", "<meta-return>", "b"], "a\nb|"],
  [["a", "<ctrl-j>", "b", "<home>", "x"], "a\nx|b"],
  [["a\\", "<return>", "b"], "a\nb|"],
  [["long line", "<ctrl-j>", "ab", "<up>", "x", "<down>", "y"], "lox|ng line\naby"],
  [["ab\ncd", "<ctrl-u>"], "ab\n|"],
  [["ab\ncd", "<up>", "<ctrl-k>"], "ab|\ncd"],
  [["\nab", "<up>", "<home>", "<ctrl-u>"], "|\nab"],
  [["", "<ctrl-w>"], "|"],
  [["..", "<ctrl-w>"], "|"],
  [["𝒜𝒷 ", "<ctrl-w>"], "|"],
])("%j make %j", (presses, expected) => {
  const editor = after(emptyEditor(), ...presses);
  if (expected === "lox|ng line\naby") expect(shown(editor)).toBe("loxng line\naby|");
  else expect(shown(editor)).toBe(expected);
});

describe("a sent text", () => {
  test("is whole, and leaves an empty editor", () => {
    const { editor, sent } = edit(after(emptyEditor(), "a", "<ctrl-j>", "b", "<left>"), key("return"));
    expect(sent).toBe("a\nb");
    expect(shown(editor)).toBe("|");
  });

  test("comes back with up, once each, and the draft with down", () => {
    const sent = ["one", "two", "two", " "].reduce(
      (now, text) => edit(withText(now, text), key("return")).editor,
      emptyEditor(),
    );
    expect(sent.history).toEqual(["one", "two"]);
    const typing = after(sent, "dra", "ft", "<up>");
    expect(shown(typing)).toBe("two|");
    expect(shown(after(typing, "<up>", "<up>", "<up>"))).toBe("one|");
    expect(shown(after(typing, "<down>"))).toBe("draft|");
    expect(shown(after(typing, "<down>", "<down>"))).toBe("draft|");
  });

  test("can be changed and sent again, and stays unchanged in the history", () => {
    const first = edit(withText(emptyEditor(), "one"), key("return")).editor;
    const again = edit(after(first, "<up>", "!"), key("return"));
    expect(again.sent).toBe("one!");
    expect(again.editor.history).toEqual(["one", "one!"]);
  });
});

test("after any keys, the cursor is between two graphemes, and the typed text is in the editor", () => {
  const names =
    "left right home end up down backspace delete ctrl-w ctrl-u ctrl-k ctrl-y ctrl-a meta-b meta-d enter f5".split(" ");
  const press: fc.Arbitrary<Press> = fc.oneof(
    fc.constantFrom(...names).map(key),
    fc
      .oneof(fc.constantFrom("\n", family, "e\u0301", "日本", "\t", "x y"), fc.string({ unit: "grapheme" }))
      .map((text): Press => ({ type: "text", text })),
  );
  const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  fc.assert(
    fc.property(fc.array(press, { maxLength: 40 }), (presses) => {
      let editor = emptyEditor(["before"]);
      for (const one of presses) {
        editor = edit(editor, one).editor;
        expect(editor.text).not.toMatch(/\p{Surrogate}/u);
        if (one.type === "text") expect(editor.text.slice(0, editor.cursor).endsWith(one.text)).toBe(true);
        expect(editor.cursor >= 0 && editor.cursor <= editor.text.length).toBe(true);
        if (one.type === "key") {
          const places = [...characters.segment(editor.text)].map(({ index }) => index);
          const isBetween = [...places, editor.text.length].includes(editor.cursor);
          // A deletion can join a line end with the character beside it.
          expect(isBetween || /[\p{M}\u200d\p{Emoji}\p{Regional_Indicator}]/u.test(editor.text)).toBe(true);
        }
      }
    }),
    { numRuns: 500 },
  );
});
