// Harbor tasks for the tests: folders with the shapes of tasks that are published.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { checkTask } from "../../../src/evals/plan/eval-task.js";
import { harborTasks } from "../../../src/evals/index.js";
import { control } from "../../../src/evals/run/controls.js";
import { newFolder } from "../world.js";

/** The usual task: a log to count, an absolute path in the words, and tests that write 1 or 0. */
const usualTask: Readonly<Record<string, string>> = {
  "task.toml":
    'version = "1.0"\n[metadata]\ndifficulty = "easy"\n[verifier]\ntimeout_sec = 60.0\n[environment]\ncpus = 1\n',
  "instruction.md":
    "<!-- harbor-canary GUID 1 -->\n\nCount the lines of /app/access.log. Write the number into /app/lines.txt.\n",
  "environment/Dockerfile":
    "FROM ubuntu:24.04\n# A work folder.\nWORKDIR /app\nCOPY access.log /app/\nRUN mkdir -p out \\\n  && chmod 755 out\n",
  "environment/access.log": "GET /\nGET /a\nGET /\n",
  "tests/test.sh": `#!/bin/sh
mkdir -p /logs/verifier
if sh /tests/expect.sh; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
`,
  "tests/expect.sh": 'read got < /app/lines.txt && test "$got" = 3 && test -d /app/out\n',
  "solution/solve.sh": "#!/bin/sh\necho 3 > /app/lines.txt\n",
};

/** Writes a task into a new folder of this name, with other files in place of some; `undefined` leaves a file out. */
export function taskFolder(other: Readonly<Record<string, string | undefined>> = {}, name = "count-lines"): string {
  const path = join(newFolder(), name);
  writeTask(path, other);
  return path;
}

/** Writes a task into the folder. */
export function writeTask(path: string, other: Readonly<Record<string, string | undefined>> = {}): void {
  for (const [file, text] of Object.entries({ ...usualTask, ...other })) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  }
}

/** The reasons that the files of a task give, without a run. */
export async function saidOf(path: string): Promise<string> {
  const [task] = await harborTasks(path);
  if (typeof task?.truth !== "object") throw new Error("The task has no truth.");
  return (await task.truth.ask(path, path, new AbortController().signal)).why;
}

/** The reason for which this machine can't try the task of the folder, by its control; undefined if it can. */
export async function unmetOf(path: string): Promise<string | undefined> {
  const [task] = await harborTasks(path);
  const work = newFolder();
  expect(task).toBeDefined();
  return control(checkTask(task!), { base: work, work, signal: new AbortController().signal });
}
