// The word of a journal about one task.

import { expect, test } from "vitest";
import type { RecordBody } from "../../../src/core/internal.js";
import { taskIn } from "../../../src/mcp/serve/task-state.js";
import { journal } from "../../core/journal.js";

const mine = "task-mine";
const words = (sent: string, run = 1): RecordBody => ({ type: "input", run, text: "Go.", sent });
const resume: RecordBody = { type: "resume" };
const iteration = { type: "iteration", iteration: 1, failures: [] } as unknown as RecordBody;
const end = (status: string, reason?: string): RecordBody =>
  ({ type: "outcome", status, message: "Because.", ...(reason !== undefined && { reason }) }) as RecordBody;
const over = end("stopped", "timeout");
const asks = (expiresAt?: number): RecordBody[] => [
  { type: "reply", iteration: 1, reply: replyWith("q", "ask_question") } as unknown as RecordBody,
  {
    type: "claim",
    callId: "q",
    by: "ask_question",
    ending: "waiting",
    value: { question: "Which?" },
    ...(expiresAt !== undefined && { expiresAt }),
  } as unknown as RecordBody,
  end("waiting"),
];
const answered = (sent?: string): RecordBody => ({
  type: "input",
  run: 2,
  text: "Blue.",
  answers: "q",
  ...(sent !== undefined && { sent }),
});

function replyWith(id: string, name: string): object {
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  return { text: "", calls: [{ type: "call", id, name, input: {} }], finish: "complete", usage };
}

function told(...bodies: RecordBody[]): string | undefined {
  const state = taskIn({ id: "s", records: journal(bodies) }, mine, 5000)?.state;
  return state?.is === "over" ? state.outcome.status : state?.is;
}

test("a task begins when its session has taken its words, as an input or as words during a run", () => {
  expect(told()).toBeUndefined();
  expect(told(words("task-other"))).toBeUndefined();
  expect(told(words(mine))).toBe("open");
  expect(told(words("task-other"), { type: "steer", text: "Go.", sent: mine })).toBe("open");
});

test("the first end of the run is the end of the task, whatever the session does then", () => {
  for (const status of ["stopped", "aborted"]) expect(told(words(mine), end(status))).toBe(status);
  expect(told(words(mine), end("aborted"), resume, over)).toBe("aborted");
  expect(told(words(mine), over, words("task-other", 2))).toBe("stopped");
});

test("a run that the store broke off, or that its process left, goes on", () => {
  expect(told(words(mine), end("failed", "store"))).toBe("open");
  expect(told(words(mine), end("failed", "store"), { type: "input", run: 2, text: "" }, over)).toBe("stopped");
  expect(told(words(mine), resume, over)).toBe("stopped");
  expect(told(words(mine), end("failed", "model"))).toBe("failed");
});

test("other words end the task of a run that its process left", () => {
  expect(told(words(mine), words("task-other", 2), over)).toBe("left");
  expect(told(words(mine), words("chat", 2))).toBe("left");
});

test("a question ends no task, and its answer goes on with it", () => {
  expect(told(words(mine), ...asks())).toBe("waiting");
  expect(told(words(mine), ...asks(), answered())).toBe("open");
  expect(told(words(mine), ...asks(), answered("answer-1"), over)).toBe("stopped");
});

test("the answer of another call makes the run the other task, and the question the end of this task", () => {
  expect(told(words(mine), ...asks(), answered("task-other"), over)).toBe("waiting");
  expect(told(words("task-other"), ...asks(), answered(mine), over)).toBe("stopped");
  const state = taskIn({ id: "s", records: journal([words(mine), ...asks(), answered("task-other")]) }, mine, 0)?.state;
  expect(state).toMatchObject({ is: "over", outcome: { value: { question: "Which?" } } });
});

test("a question that nobody answered in time ends the task", () => {
  expect(told(words(mine), ...asks(5001))).toBe("waiting");
  expect(told(words(mine), ...asks(5000))).toBe("late");
  expect(told(words(mine), ...asks(5000), { type: "input", run: 2, text: "", lapses: "q" }, over)).toBe("late");
});

test("the times and the iterations are the times and the iterations of the task alone", () => {
  const records = journal([words("task-other"), iteration, over, words(mine, 2), iteration, over, words("chat")]);
  expect(taskIn({ id: "s", records }, mine, 0)).toMatchObject({ createdAt: 1003, updatedAt: 1005, iterations: 1 });
});
