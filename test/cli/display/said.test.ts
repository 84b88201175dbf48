// The values of tools that end a run, for people: their words, and every other field.

import { expect, test } from "vitest";
import { markdownOf, restLines, speech } from "../../../src/cli/display/said.js";

const read = speech([
  { name: "approve", streams: undefined },
  { name: "escalate", streams: "why" },
  { name: "finish", streams: "report", unverified: "doubts" },
]);

test.each([
  [
    "a value of fields",
    "approve",
    { cents: 4000, item: "lamp" },
    "",
    ["cents: 4000", "item: lamp"],
    '{"cents":4000,"item":"lamp"}',
  ],
  [
    "a list of objects",
    "escalate",
    {
      why: "Big.",
      steps: [
        { what: "Ask", files: ["a", "b"] },
        { what: "Pay", files: [], cents: 3 },
      ],
    },
    "Big.",
    ["steps:\n  1. Ask\n     - files: a, b\n  2. Pay\n     - cents: 3"],
    '{"why":"Big.","steps":[{"what":"Ask","files":["a","b"]},{"what":"Pay","files":[],"cents":3}]}',
  ],
  ["words and a field", "escalate", { why: "Big.", team: "w" }, "Big.", ["team: w"], '{"why":"Big.","team":"w"}'],
  ["words alone", "escalate", { why: "Big." }, "Big.", [], "Big."],
  ["words that are empty", "escalate", { why: "" }, "", [], '{"why":""}'],
  ["a field of doubts", "finish", { report: "Done.", doubts: ["x"] }, "Done.", [], "Done."],
  ["suggestions", "escalate", { why: "Big?", suggestions: ["yes", "no"] }, "Big?", [], "Big?"],
  [
    "suggestions that are none",
    "escalate",
    { why: "Big?", suggestions: 3 },
    "Big?",
    ["suggestions: 3"],
    '{"why":"Big?","suggestions":3}',
  ],
  ["a text", "approve", "<think>hm</think>Fine.", "Fine.", [], "Fine."],
  ["a number", "approve", 7, "7", [], "7"],
  ["a list", "approve", [1, 2], "[1,2]", [], "[1,2]"],
  [
    "a tool of the command that the agent lacks",
    "task_completion",
    { result: "Done.", unverified: [] },
    "Done.",
    [],
    "Done.",
  ],
  [
    "a tool that nobody knows",
    "other",
    { message: "Hi.", n: 1 },
    "",
    ["message: Hi.", "n: 1"],
    '{"message":"Hi.","n":1}',
  ],
])("%s", (_what, by, value, words, rest, text) => {
  const said = read(by, value);
  expect({ words: said.words, rest: restLines(said), text: said.text }).toEqual({ words, rest, text });
});

test("as Markdown, fields are a list below the words, or below the name of the tool", () => {
  expect(markdownOf(read("escalate", { why: "Big.", team: "w" }))).toBe("Big.\n\n- team: w");
  expect(markdownOf(read("approve", { cents: 4000, to: { name: "Ann" } }))).toBe(
    '**approve**\n\n- cents: 4000\n- to: {"name":"Ann"}',
  );
  expect(markdownOf(read("escalate", { why: "Big." }))).toBe("Big.");
});
