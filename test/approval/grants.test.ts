// Grants: an approval for the session counts for the same call, and never for a call that only looks the same as JSON.

import { expect, test } from "vitest";
import { z } from "zod";
import { askFirst } from "../../src/approval/index.js";
import { Grants } from "../../src/approval/grants.js";
import { createAgent, tool, type FrozenCall } from "../../src/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

test.each<[string, unknown, unknown, boolean]>([
  ["the same fields in another order", { a: 1, b: [2] }, { b: [2], a: 1 }, true],
  ["the same date", { at: new Date(5) }, { at: new Date(5) }, true],
  ["other arguments", { a: 1 }, { a: 2 }, false],
  ["another date", { at: new Date(5) }, { at: new Date(6) }, false],
  ["a set", new Set(["a"]), new Set(["a"]), false],
  ["a map below", { paths: new Map([["a", 1]]) }, { paths: new Map([["a", 1]]) }, false],
  ["an object with a hidden field", { of: new URL("http://a") }, { of: new URL("http://a") }, false],
  ["a number that JSON can't write", { a: NaN }, { a: NaN }, false],
  ["a bigint", { a: 5n }, { a: 5n }, false],
  ["null, instead of an item that was undefined,", { a: [undefined] }, { a: [null] }, false],
  ["null, instead of a gap in a list,", { a: Array(1) }, { a: [null] }, false],
  ["zero, instead of minus zero,", { a: -0 }, { a: 0 }, false],
  ["a field that is left out, instead of one that was undefined,", { a: 1, b: undefined }, { a: 1 }, true],
])("after a grant, %s: is granted %#", (_what, first, second, isGranted) => {
  const grants = new Grants();
  const callOf = (input: unknown): FrozenCall => ({ id: "c", name: "t", effect: "write", input });
  grants.add("s", callOf(first), []);
  expect(grants.has("s", callOf(second), [])).toBe(isGranted);
  expect(grants.has("other", callOf(second), [])).toBe(false);
});

test("an approval for the session does not pass on to other arguments that a schema made into a set", async () => {
  const asked: unknown[] = [];
  const removed: string[][] = [];
  const paths = z.array(z.string()).transform((each) => new Set(each));
  const remove = tool({
    name: "remove",
    description: "Removes.",
    effect: "write",
    input: z.object({ paths }),
    run: (input) => {
      removed.push([...input.paths]);
      return "removed";
    },
  });
  const model = scriptedModel([
    [call("remove", { paths: ["a"] })],
    [call("remove", { paths: ["b"] })],
    [call("task_completion", { result: "Done." })],
  ]);
  const permission = askFirst((each) => {
    asked.push(each.input);
    return { allowed: true, reason: "yes", always: true };
  });
  const { status } = await createAgent({ model, tools: [remove, taskCompletion()], permission }).run("Go.");
  expect(status).toBe("completed");
  expect(removed).toEqual([["a"], ["b"]]);
  expect(asked).toEqual([{ paths: new Set(["a"]) }, { paths: new Set(["b"]) }]);
});
