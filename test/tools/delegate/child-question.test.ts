// The question of an agent below, as the run around it asks it.

import { expect, test } from "vitest";
import type { ParkedCall, WaitingCall } from "../../../src/index.js";
import { questionFor } from "../../../src/tools/delegate/child-question.js";

const waiting = (value: unknown): WaitingCall => ({ by: "ask", id: "s/1/call:1:0", value });

test("a question has the tool that leads to its agent", () => {
  expect(questionFor("research", waiting({ question: "Which?" }))).toEqual({
    ...{ by: "ask", id: "s/1/call:1:0", value: { question: "Which?" }, path: ["research"] },
  });
});

test("a question from further below goes up unchanged, with the outermost tool first", () => {
  const below = questionFor("read", waiting({ question: "Which?" }));
  const middle = questionFor("research", { by: "read", id: "t/1/call:2:0", value: below });
  expect(middle).toEqual({ ...below, path: ["research", "read"] });
  const top = questionFor("plan", { by: "research", id: "u/1/call:3:0", value: middle });
  expect(top.path).toEqual(["plan", "research", "read"]);
});

test("a call that waits for a yes or no has its input and no value", () => {
  const approval = { digest: "d", reason: "money" };
  const parked = { by: "pay", id: "c", input: { euros: 5 }, approval } as unknown as ParkedCall;
  expect(questionFor("research", parked)).toEqual({
    ...{ by: "pay", id: "c", input: { euros: 5 }, approval, path: ["research"] },
  });
});

test("a value that only looks like a question from below is the tool's own", () => {
  for (const value of [{ by: "x", id: "y" }, { by: "x", id: "y", path: "z" }, { by: 1, id: "y", path: [] }, "words"])
    expect(questionFor("research", waiting(value))).toMatchObject({ by: "ask", value, path: ["research"] });
});
