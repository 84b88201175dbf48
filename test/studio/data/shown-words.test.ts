import { describe, expect, test } from "vitest";
import {
  ago,
  argumentWords,
  clock,
  cost,
  count,
  diffBody,
  duration,
  firstLine,
  folderName,
  folderOf,
  leftWords,
  pretty,
  tokens,
  visible,
  withoutOutputs,
} from "../../../src/studio/data/shown-words.js";

describe("words that people read", () => {
  test("show what nobody sees: directions, escapes, invisible letters", () => {
    expect(visible("a\u202eb\u001b[31mc\u200bd\ttab\nline")).toBe("a‹202e›b‹1b›[31mc‹200b›d\ttab\nline");
  });

  test("are the first line of a text, and no more", () => {
    expect(firstLine("  one\ntwo")).toBe("one …");
    expect(firstLine("x".repeat(5_000_000)).length).toBe(300);
  });

  test("name a folder by its last name, if there is one", () => {
    expect(["/home/me/shop", "C:\\me\\shop\\", "/", "shop"].map(folderName)).toEqual(["shop", "shop", "/", "shop"]);
    expect([{ workdir: "/a\u202eb" }, { workdir: 5 }, {}, undefined].map(folderOf)).toEqual([
      ...["/a‹202e›b", undefined, undefined, undefined],
    ]);
  });

  test("leave out the outputs that stand below, also one that was cut", () => {
    const text = "npm test failed:\n$& is 5\n\nMend it.";
    expect(withoutOutputs(text, ["", "$& is 5\n"])).toBe("npm test failed:\n[the output below]\n\nMend it.");
    expect(withoutOutputs(text, ["$& is… (90 more characters)"])).toContain("[the output below] 5");
    expect(withoutOutputs(text, ["other"])).toBe(text);
  });

  test("are the short values of arguments, which were shown as JSON", () => {
    expect(argumentWords('{"command":"npm test"}')).toBe("npm test");
    expect(argumentWords('{"path":"a.ts","from_line":3,"edits":[{"search":"a"}]}')).toBe("a.ts 3");
    expect(['{"edits":[1]}', "{}", "5", "{broken"].map(argumentWords)).toEqual(['{"edits":[1]}', "{}", "5", "{broken"]);
  });

  test("are short numbers", () => {
    expect([0, 999, 1234, 99_949, 210_000, 999_500, 1_200_000, 130_100_000].map(tokens)).toEqual([
      ...["0", "999", "1.2k", "99.9k", "210k", "1.0M", "1.2M", "130M"],
    ]);
    expect([0, 999, 4200, 180_000, 7_200_000].map(duration)).toEqual(["0 ms", "999 ms", "4.2 s", "3 min", "2 h"]);
    expect([0, 0.0012, 1.5].map(cost)).toEqual(["", "0.0012", "1.50"]);
    expect([count(1, "part"), count(2, "part")]).toEqual(["1 part", "2 parts"]);
  });

  test("say how long ago something was", () => {
    const now = 1_000_000_000;
    expect([0, 59, 60, 7200, 200_000].map((seconds) => ago(now - seconds * 1000, now))).toEqual([
      ...["now", "now", "1 min", "2 h", "2 d"],
    ]);
    expect(clock(0)).toMatch(/^\d\d:\d\d:\d\d$/);
  });

  test("are JSON with indents, or the text as it is", () => {
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(pretty("{oops")).toBe("{oops");
  });
});

test("a diff is shown below its head, and a path that is no text in words; a line that looks like a head stays", () => {
  expect(diffBody("--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+++ new", "x")).toEqual({
    isText: true,
    text: "@@ -1 +1 @@\n--- old\n+++ new",
  });
  expect(diffBody("out: nothing -> a folder (mode 755)", "out")).toEqual({
    isText: false,
    text: "nothing became a folder (mode 755)",
  });
});

test("what an undo leaves is named with the reason", () => {
  const conflicts = [{ path: "a\u202eb", reason: "changed since", why: "it was changed since" }];
  expect(leftWords({ conflicts, unseen: [{ tool: "run_command", iteration: 2 }] })).toEqual([
    { name: "a‹202e›b", why: "it was changed since" },
    { name: "run_command", why: "iteration 2: what it changed is not known, for the folder has too many files" },
  ]);
});
