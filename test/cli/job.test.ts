// Jobs as files: their task, their options, their paths, and what is no job.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings, type Settings } from "../../src/cli/args/args.js";
import { jobWords } from "../../src/cli/job.js";
import { jobNames, parseOptions } from "../../src/cli/args/options.js";
import { runHere, temporary } from "./command.js";

async function settingsOf(name: string, text: string, ...argv: readonly string[]): Promise<Settings> {
  await using folder = await temporary();
  await writeFile(join(folder.path, name), text);
  const settings = readSettings(await jobWords(parseOptions(argv), join(folder.path, name)));
  // The folder has another name each time.
  return JSON.parse(JSON.stringify(settings).replaceAll(folder.path, "/jobs")) as Settings;
}

test("a job is a task with the options of the same names", async () => {
  const yaml = [
    "task: |",
    "  Correct the sum.",
    "  Then stop.",
    'until: ["npm test"]',
    "max-iterations: 20",
    "tier: read-only",
    "branch: sum",
    "pr-text: out/pr.md",
    "artifacts: out",
    "workdir: code",
    "attach: [a.png]",
    "log: '-'",
  ].join("\n");
  const settings = await settingsOf("job.yaml", yaml);
  expect(settings).toMatchObject({
    order: { do: "run", task: { words: "Correct the sum.\nThen stop.\n", namesInput: false }, job: "/jobs/job.yaml" },
    until: ["npm test"],
    limits: { maxIterations: 20 },
    rights: { tier: "read-only" },
    branch: "sum",
    prText: "/jobs/out/pr.md",
    artifacts: "/jobs/out",
    workdir: "/jobs/code",
    attach: ["/jobs/a.png"],
    log: "-",
  });
  expect(await settingsOf("job.json", '{ "task": "-", "tier": "read-only" }')).toMatchObject({
    order: { do: "run", task: { words: "-", namesInput: false } },
    workdir: ".",
  });
});

test("the command line wins over the job, and rules of both hold", async () => {
  const text = '{ "task": "x", "model": "a", "allow": ["run_command(a)"], "yes": true }';
  expect(
    await settingsOf("job.json", text, "--model", "b", "--allow", "run_command(b)", "--ask", "--park"),
  ).toMatchObject({
    model: "b",
    allow: ["run_command(a)", "run_command(b)"],
    rights: { mode: "ask-all" },
  });
});

test("a job may have the options of a task, and no other option", () => {
  expect(jobNames).toEqual(expect.arrayContaining(["workdir", "rounds", "config", "no-config", "dry-run", "cap"]));
  for (const name of ["help", "version", "approve", "write", "port", "template", "more"])
    expect(jobNames).not.toContain(name);
});

test.each([
  [["run"], "lastcall run needs the file of a job: lastcall run job.yaml. See lastcall help run."],
  [["run", "the", "tests"], "lastcall run takes FILE and no more; a task that begins so has to be in quotes"],
  [["run", "none.yaml"], "lastcall run none.yaml: there is no such file."],
  [["run", "FOLDER/no-task.yaml"], "needs a task, such as task: Fix the failing test."],
  [["run", "FOLDER/list.yaml"], "must hold settings by their names, such as task: Fix the failing test."],
  [["run", "FOLDER/unknown.yaml"], '"maxIterations" is no setting; max-iterations is.'],
  [["run", "FOLDER/kind.yaml"], 'until must be a list of texts, and is "npm test".'],
  [["run", "FOLDER/value.yaml"], '--tier "root" is none of'],
  [["run", "FOLDER/ask.yaml"], "--ask needs a terminal to ask at, and there is none. Use --park or --yes"],
  [["run", "FOLDER/good.yaml", "--more"], "A task takes no --more"],
])("%j is refused", async (args, words) => {
  await using folder = await temporary();
  const files = {
    "no-task.yaml": "task: '  '",
    "list.yaml": "- task",
    "unknown.yaml": "task: x\nmaxIterations: 3",
    "kind.yaml": "task: x\nuntil: npm test",
    "value.yaml": "task: x\ntier: root",
    "ask.yaml": "task: x\nask: true",
    "good.yaml": "task: x",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
  const { code, stderr } = await runHere(args.map((arg) => arg.replace("FOLDER", folder.path)));
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(words) });
});
