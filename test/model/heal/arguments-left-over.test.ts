// Comments in arguments and words after them: left out if one reading remains, refused if there are two.

import { describe, expect, test } from "vitest";
import { readCall } from "../../../src/model/heal/index.js";
import type { ToolDescription } from "../../../src/core/index.js";

const parameters = {
  type: "object",
  properties: { path: { type: "string" }, n: { type: "integer" }, list: { type: "array", items: { type: "string" } } },
};
const tools: readonly ToolDescription[] = [{ name: "work", description: "Works.", parameters }];
const read = (text: string): ReturnType<typeof readCall> =>
  readCall({ id: "", name: "work", arguments: text, extras: {} }, tools);

describe("comments and words that leave one reading are left out", () => {
  test.each([
    ['{"path": "a" /* the file */, "n": 1}', { path: "a", n: 1 }, "comments left out"],
    ['{\n  // the file\n  "path": "a", // here\n  "n": 1// last\n}', { path: "a", n: 1 }, "comments left out"],
    ['/* arguments */ {"n": 1} // done', { n: 1 }, "comments left out"],
    ['{"list": ["a", /* "b", */ "c"]}', { list: ["a", "c"] }, "comments left out"],
    ['{"path": "a"} I will read it now.', { path: "a" }, "words after the arguments left out"],
    ['{"path": "a"}\n\nThen: the next file, (maybe).', { path: "a" }, "words after the arguments left out"],
  ])("%j", (text, input, repair) => {
    expect(read(text)).toEqual({ ok: true, name: "work", input, repairs: [repair] });
  });

  test("what looks like a comment inside a text is the text", () => {
    const input = { path: "https://a.example/*b*/ // c" };
    expect(read(JSON.stringify(input))).toEqual({ ok: true, name: "work", input, repairs: [] });
  });
});

describe("two readings are refused", () => {
  test.each([
    ['{"path": "a" // the file, "n": 1}', "comment in the arguments has no end"],
    ['{"path": "a", /* "n": 1}', "comment in the arguments has no end"],
    ['{"path": "a" / "n": 1}', "not valid JSON"],
    ['{"path": "a"}, "n": 1', "not valid JSON"],
    ['{"path": "a"} and "n": 1', "not valid JSON"],
    ['{"path": "a"} then {"path": "b"}', "not valid JSON"],
    ['{"path": "a"} : b', "not valid JSON"],
  ])("%j", (text, problem) => {
    expect(read(text)).toMatchObject({
      ok: false,
      kind: "malformed_call",
      problem: expect.stringContaining(problem) as string,
    });
  });

  test("a text with words after it is no list", () => {
    expect(read('{"list": "[\\"a\\"] and more"}')).toMatchObject({ input: { list: '["a"] and more' } });
  });
});
