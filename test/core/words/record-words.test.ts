import { expect, test } from "vitest";
import { createAgent, type JournalRecord } from "../../../src/index.js";
import { recordWords, valueWords } from "../../../src/core/internal.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

test.each([
  ["Which?", "Which?"],
  [{ question: "Which?", suggestions: ["a", "b"] }, "Which?"],
  [{ message: "Which?" }, "Which?"],
  [{ result: "Done.", unverified: ["the rest"] }, 'Done.\nunverified: ["the rest"]'],
  [{ city: "Rome", nights: 3 }, "city: Rome\nnights: 3"],
  [null, "null"],
  [{ by: "ask_question", value: { question: "Which?" }, id: "q", path: ["plan", "search"] }, "plan > search: Which?"],
  [
    { by: "pay", input: {}, approval: { why: "it can network" }, path: ["buy"] },
    "buy: pay waits for an approval: it can network",
  ],
])("the value %j in words is %s", (value, text) => {
  expect(valueWords(value)).toBe(text);
});

test("a run is told by its records: what was asked, refused, checked, claimed, and how it ended", async () => {
  let times = 0;
  const { session } = await createAgent({
    model: scriptedModel([
      [call("nothing_of_this_name")],
      [call("task_completion", { result: "first" })],
      [call("task_completion", { result: "second" })],
    ]),
    tools: [taskCompletion()],
    checks: [{ name: "look", verify: () => Promise.resolve({ passed: (times += 1) > 2, output: "not yet" }) }],
  }).run("Go");
  const told = session.records.flatMap((record) => {
    const words = recordWords(record);
    return words === undefined ? [] : [`${words.tone}: ${words.label}: ${words.text.split("\n")[0] ?? ""}`];
  });
  expect(told).toEqual([
    "user: input: Go",
    "bad: check failed: look (baseline)",
    expect.stringMatching(/^quiet: notice: The task is done when its checks pass/),
    expect.stringMatching(/^bad: nothing_of_this_name failed: ERROR unknown_tool/),
    "bad: check failed: look (claim)",
    expect.stringMatching(/^bad: task_completion failed: ERROR check_failed/),
    "good: check passed: look (claim)",
    "good: claim, checked: second",
    "good: completed: ",
  ]);
});

test("records without words tell people nothing, and an answer is no input", () => {
  const of = (record: object) => recordWords(record as JournalRecord)?.label;
  expect(of({ type: "baseline" })).toBeUndefined();
  expect(of({ type: "decision", allowed: true })).toBeUndefined();
  expect(of({ type: "input", text: "yes", answers: "c" })).toBe("answer");
  expect(of({ type: "input", text: "" })).toBe("goes on");
});
