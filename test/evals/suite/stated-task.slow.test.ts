// The tasks of the suite: their families, their seeds, and what their checks and truths say about them.

import { expect, test } from "vitest";
import { truthSuite } from "../../../src/evals/index.js";
import { control } from "../../../src/evals/run/controls.js";
import { checkTask } from "../../../src/evals/plan/eval-task.js";
import { statedTasks } from "../../../src/evals/suite/stated-task.js";
import { newFolder } from "../world.js";

test("the tasks are the same for the same seed, and others in another order for another", () => {
  expect(statedTasks(1)).toEqual(statedTasks(1));
  expect(statedTasks(1).map(({ id }) => id)).not.toEqual(statedTasks(2).map(({ id }) => id));
  expect(new Set(statedTasks(1).map(({ family }) => family)).size).toBe(5);
});

test("no two tasks with a solution have the same words, so that a task can be told by its input", () => {
  for (const seed of [1, 2, 3, 20]) {
    const inputs = statedTasks(seed).flatMap(({ input, solution }) => (solution === undefined ? [] : [input]));
    expect(new Set(inputs).size).toBe(inputs.length);
  }
});

test("each truth refuses the files as they are and accepts the solution", { timeout: 120_000 }, async () => {
  const work = newFolder();
  const signal = new AbortController().signal;
  for (const task of truthSuite({ seed: 4 }).tasks) await control(checkTask(task), { base: work, work, signal });
  expect(truthSuite().checkOf("long-1").weak).toBe("test -s page-1.txt");
  expect(() => truthSuite().checkOf("nothing")).toThrow("no task nothing");
});
