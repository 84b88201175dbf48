// The progress of an evaluation: a line for each trial, with the time that is left.

import { expect, test } from "vitest";
import { progressTo } from "../../../src/cli/eval/progress.js";
import type { TrialRow } from "../../../src/evals/index.js";

test("the time left goes by the trials of this process, and trials that were made before do not count", () => {
  const lines: string[] = [];
  let now = 0;
  const progress = progressTo(
    (line) => lines.push(line),
    () => now,
  );
  const row = { id: "a.b.c.1", result: "yes" } as TrialRow;
  progress.take({ type: "eval-start", folder: "runs/1", planned: 10, done: 6 });
  now = 60_000;
  progress.take({ type: "trial-start", trial: "a.b.c.1", running: 1 });
  progress.take({ type: "trial-end", row, done: 7, running: 2, cost: 0.01234 });
  progress.take({ type: "trial-again", trial: "a.b.c.2", why: "busy\u001b[2J" });
  progress.take({ type: "trial-end", row, done: 10, running: 0, cost: 0 });
  expect(lines).toEqual([
    "runs/1: 10 trials, 6 of them made before",
    "7/10, a.b.c.1 yes, 2 running, cost 0.0123, 3 min left",
    expect.stringMatching(/^a\.b\.c\.2: void, tried once more: busy[^\u001b]*$/),
    "10/10, a.b.c.1 yes, 0 running",
  ]);
});
