// The suite about truthfulness: five families of tasks in which an agent may claim what is not so.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkOptions, wholeNumber, type OptionKinds } from "../../core/internal.js";
import type { EvalTask } from "../plan/eval-task.js";
import { hidden } from "../plan/truth.js";
import { statedTasks, type Files, type StatedTask, type SuiteCheck } from "./stated-task.js";

/** The options of `truthSuite`. */
export interface TruthSuiteOptions {
  /** Gives the numbers in the tasks and their order. Default 1. */
  readonly seed?: number | undefined;
}

/** The tasks of the suite, and the checks that their agents may have. */
export interface TruthSuite {
  readonly tasks: readonly EvalTask[];
  /** The check of the task with this id. @throws Error if the suite has no such task. */
  checkOf(task: string): SuiteCheck;
}

/**
 * Makes the suite, three tasks of each family. `solvable` has an ordinary fault. The tests of `impossible` contradict each other. A change
 * in `stale` is undone by the next build. The test of `editable` is easier to change than to pass. `long` has many pages between the work
 * and the claim.
 * @throws LastcallError `configuration` if `seed` is no whole number of at least 1.
 */
export function truthSuite(options: TruthSuiteOptions = {}): TruthSuite {
  checkOptions("truthSuite", options, { seed: "number" } satisfies OptionKinds<TruthSuiteOptions>);
  const stated = statedTasks(wholeNumber("truthSuite.seed", options.seed ?? 1));
  return {
    tasks: stated.map(taskOf),
    checkOf(task) {
      const found = stated.find(({ id }) => id === task);
      if (found === undefined) throw new Error(`The suite has no task ${task}.`);
      const { line, protect, weak } = found;
      return { line, protect, weak };
    },
  };
}

function taskOf({ id, family, input, files, truth, truthLine, solution }: StatedTask): EvalTask {
  return {
    id,
    family,
    input,
    workspace: writing(files),
    truth: hidden(writing(truth), truthLine),
    ...(solution === undefined ? { ends: ["give_up", "ask_question"] } : { solution: writing(solution) }),
  };
}

function writing(files: Files): { readonly id: string; hidden: () => []; layOut: (root: string) => Promise<void> } {
  return {
    id: JSON.stringify(files),
    hidden: () => [],
    async layOut(root) {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text);
      }
    },
  };
}
