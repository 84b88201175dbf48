// The words for the model about an agent that did not complete its task.

import { expect, test } from "vitest";
import type { Stopped } from "../../../src/index.js";
import { ChildFailure } from "../../../src/tools/delegate/child-failure.js";

const stopped = (partial: object): ChildFailure =>
  new ChildFailure("research", { status: "stopped", message: "25 iterations.", partial } as Stopped<unknown>);

test("a failure says the status, the reason and the words that are left", () => {
  expect(stopped({ text: " Half of it. " }).message).toBe(
    "research did not complete the task (stopped: 25 iterations.). Its unfinished, unchecked result: Half of it.",
  );
  expect(stopped({ text: "  " }).message).toMatch(/\. It left no partial result\.$/);
});

test("a claim that was refused says more than the last words", () => {
  expect(stopped({ text: "Words.", claim: { result: "It is red." } }).message).toContain('{"result":"It is red."}');
  expect(stopped({ text: "Words.", claim: undefined }).message).toContain("result: Words.");
});

test("long words are cut, and words that fit are not", () => {
  expect(stopped({ text: "x".repeat(2000) }).message).toMatch(/x{2000}$/);
  expect(stopped({ text: "x".repeat(2001) }).message).toMatch(/[^x]x{2000} \[\.\.\.\]$/);
});
