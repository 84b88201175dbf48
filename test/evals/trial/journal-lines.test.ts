// The lines of a journal: a run with a mistake, a refused claim, and a result that is too long to show whole.

import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { journalLines } from "../../../src/evals/trial/journal-lines.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

test("a journal tells what was said, called, returned and checked, in order", async () => {
  let asked = 0;
  const agent = createAgent({
    model: scriptedModel([
      [call("read", { path: "a\nb", deep: { x: 1 } })],
      [call("nothing_of_this_name", {})],
      [call("task_completion", { result: "first" })],
      [call("task_completion", { result: "second" })],
    ]),
    tools: [
      tool({
        name: "read",
        description: "Reads",
        input: z.object({ path: z.string(), deep: z.object({ x: z.number() }) }),
        effect: "read",
        run: () => `${"start ".repeat(1000)}${"end ".repeat(1000)}`,
      }),
      taskCompletion(),
    ],
    checks: [{ name: "look", verify: () => Promise.resolve({ passed: (asked += 1) > 2, output: "not yet" }) }],
  });
  const session = openSession({ store: memoryStore(), id: "s" });
  await agent.run("Read it.", { session });
  const lines = journalLines((await session.toJSON()).records);
  expect(lines.map(({ label, tone }) => `${label} (${tone})`)).toEqual([
    "input (user)",
    "check failed (bad)",
    "notice (quiet)",
    "iteration 1 (step)",
    "calls read (plain)",
    "read returned (plain)",
    "iteration 2 (step)",
    "calls nothing_of_this_name (plain)",
    "nothing_of_this_name failed (bad)",
    "iteration 3 (step)",
    "calls task_completion (plain)",
    "check failed (bad)",
    "task_completion failed (bad)",
    "iteration 4 (step)",
    "calls task_completion (plain)",
    "check passed (good)",
    "claim, checked (good)",
    "completed (good)",
  ]);
  const textOf = (label: string): string => lines.find((line) => line.label === label)?.text ?? "";
  expect(textOf("calls read")).toBe('path: a\nb\ndeep: {"x":1}');
  expect(textOf("claim, checked")).toBe("second");
  expect(textOf("read returned")).toMatch(/^start [^]*\n\[\.\.\. \d+ characters are left out \.\.\.\]\n[^]*end$/);
  expect(textOf("read returned").length).toBeLessThan(6100);
});
