// The world of a trial: answers to questions, scripted tools, secrets of a workspace, files of a commit, and commands.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { expect, test } from "vitest";
import { evaluation, gitRef, hidden, modelledUser, type TrialPlace } from "../../../src/evals/index.js";
import { createAgent, tool } from "../../../src/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { without } from "../../programs.js";
import { agentWith, claim, drained, modelThat, newFolder, sumTask, write } from "../world.js";

const question: Step = [call("ask_question", { question: "How many?" })];

/** The only row of an evaluation with one trial. */
async function rowOf(options: Partial<Parameters<typeof evaluation>[0]>, base = newFolder()) {
  const plan = evaluation({ tasks: [sumTask("a")], variants: { bare: agentWith() }, trials: 1, ...options });
  const { report } = await drained(plan, { base });
  return report.rows[0]!;
}

test("questions are answered by the task's text, its function, or a model, and the amounts of all runs count", async () => {
  const models = { asks: modelThat([question, write("5\n"), claim]) };
  const asked: unknown[] = [];
  for (const answer of [
    "five",
    ({ value, number }: { readonly value: unknown; readonly number: number }) => {
      asked.push([value, number]);
      return "five";
    },
    modelledUser({ model: scriptedModel(["Five."]), knows: "It is five." }),
  ]) {
    const row = await rowOf({ models, tasks: [sumTask("a", { answers: { ask_question: answer } })] });
    expect(row).toMatchObject({ result: "yes", answered: 1, iterations: 3, ending: "task_completion" });
  }
  expect(asked).toEqual([[{ question: "How many?" }, 1]]);
});

test("a question without an answer ends the trial, and a user who can't answer makes it void", async () => {
  const models = { asks: modelThat([question, claim]) };
  expect(await rowOf({ models })).toMatchObject({ result: "no", ending: "ask_question", status: "waiting" });
  const broken = sumTask("a", { answers: { ask_question: () => Promise.reject(new Error("the user left")) } });
  expect(await rowOf({ models, tasks: [broken] })).toMatchObject({
    result: "void",
    why: expect.stringContaining("the user left"),
  });
});

test("a stubbed tool gives its steps in order, throws errors among them, and repeats the last", async () => {
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    effect: "read",
    run: () => Promise.reject(new Error("the real world")),
  });
  const agent = ({ model, stub }: TrialPlace) =>
    createAgent({
      model,
      tools: [stub(look, ["first", new Error("down"), "last"]), taskCompletion()],
      permission: () => true,
      hooks: [
        {
          async *call(frozen, next) {
            const done = yield* next(frozen);
            if (frozen.name === "look") seen.push(done.ok ? done.value : done.failure.message);
            return done;
          },
        },
      ],
    });
  const seen: unknown[] = [];
  const steps: readonly Step[] = [1, 2, 3, 4].map(() => [call("look")]);
  const row = await rowOf({
    tasks: [{ id: "a", input: "Look." }],
    variants: { stubbed: agent },
    models: { looks: modelThat([...steps, claim]) },
  });
  expect(row.result).toBe("yes");
  expect(seen).toEqual(["first", expect.stringContaining("down"), "last", "last"]);
});

test("a report shows no value of a secret file of the workspace", async () => {
  const base = newFolder();
  const task = sumTask("a", {
    workspace: async (root) => {
      await writeFile(join(root, ".env"), "DB_LOGIN=hunter2-and-more\n");
    },
    truth: hidden(undefined, 'read line < .env; echo "$line"; exit 1'),
    solution: undefined,
  });
  const row = await rowOf({ tasks: [task], models: { claims: modelThat([claim]) } }, base);
  expect(row.why).toContain("exit code 1");
  expect(row.why).not.toContain("hunter2");
  const run = join(base, ".lastcall/evals/eval/1");
  for (const file of ["report.json", "report.xml", "rows.jsonl", "trials.jsonl"])
    expect(readFileSync(join(run, file), "utf8")).not.toContain("hunter2");
});

test.skipIf(without("git", "tar") !== "")(
  `a workspace may be the files of a commit${without("git", "tar")}`,
  async () => {
    const base = newFolder();
    const git = (...args: readonly string[]): void => {
      const { status, stderr } = spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
        cwd: base,
      });
      expect(status, String(stderr)).toBe(0);
    };
    git("init", "-q");
    writeFileSync(join(base, "sum"), "4\n");
    git("add", "sum");
    git("commit", "-qm", "a sum");
    const models = { claims: modelThat([claim]) };
    const truth = hidden(undefined, 'read a < sum; test "$a" = 5');
    const row = await rowOf({ models, tasks: [sumTask("a", { workspace: gitRef("HEAD"), truth })] }, base);
    expect(row).toMatchObject({ result: "no", ending: "task_completion" });
    await expect(rowOf({ models, tasks: [sumTask("a", { workspace: gitRef("nowhere") })] }, base)).rejects.toThrow(
      'gitRef("nowhere"): its files can\'t be read',
    );
  },
);

test("a command is a variant: its end, its time and a program that is not there", async () => {
  const tasks = [sumTask("a")];
  const shell = (line: string, timeout?: number) => ({ shell: { command: ["sh", "-c", line, "{task}"], timeout } });
  expect(await rowOf({ tasks, variants: shell("echo 5 > sum") })).toMatchObject({
    result: "yes",
    ending: "exit 0",
    verified: "unchecked",
  });
  expect(await rowOf({ tasks, variants: shell('case "$0" in *"(a)"*) exit 3;; esac') })).toMatchObject({
    result: "no",
    ending: "exit 3",
  });
  expect(await rowOf({ tasks, variants: shell("while :; do :; done", 200) })).toMatchObject({
    result: "no",
    ending: "timeout",
  });
  expect(await rowOf({ tasks, variants: { none: { command: ["no-such-program-here"] } } })).toMatchObject({
    result: "void",
  });
});
