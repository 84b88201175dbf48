// The page about jobs: its job is one by the schema, and the steps of its action push a branch and open a pull request.

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Validator, type Schema } from "@cfworker/json-schema";
import { parse } from "yaml";
import { expect, test } from "vitest";
import { without } from "../../programs.js";
import { correct, inRepository, noCommits, until } from "./repository-folder.js";
import { bin } from "../../dist.js";

const root = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/jobs-and-pull-requests.md"), "utf8");
const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => parse(text) as unknown);
const [job, action, workflow] = blocks as [
  object,
  { runs: { steps: { name: string; run?: string; env?: Record<string, string> }[] } },
  { permissions: object },
];

test("the job on the page is a job by its schema", () => {
  const schema = JSON.parse(readFileSync(join(root, "schemas/job.json"), "utf8")) as Schema;
  expect(new Validator(schema, "7").validate(job)).toMatchObject({ valid: true });
  expect(new Validator(schema, "7").validate({ tasks: "x" }).valid).toBe(false);
});

test("no step of the action has an input in the text of its script", () => {
  const scripts = action.runs.steps.flatMap(({ run }) => run ?? []);
  expect(scripts.length).toBe(3);
  expect(scripts.filter((script) => script.includes("${{"))).toEqual([]);
  expect(workflow.permissions).toEqual({ contents: "write", "pull-requests": "write" });
});

const leftOut = noCommits === "" ? without("head", "tail", "sh", "cat") : noCommits;

test.skipIf(leftOut !== "").each([
  ["a task that is completed", true],
  ["a task that is not", false],
] as const)(`the steps of the action, for %s${leftOut}`, async (_, isDone) => {
  await inRepository(async ({ path, env, git, server }) => {
    const place = join(path, "..");
    const [clone, programs, temp] = [join(place, "clone"), join(place, "programs"), join(place, "temp")];
    for (const folder of [programs, temp]) await mkdir(folder);
    const [, url = "", , model = ""] = await server(isDone ? correct : []);
    const tool = async (name: string, script: string): Promise<void> => {
      await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(programs, name), 0o755);
    };
    await tool("npm", `echo "$@" >> '${place}/npm'`);
    await tool(
      "gh",
      `echo "$@" >> '${place}/gh'; case "$*" in *body-file*) cat '${temp}/body.md' > '${place}/body';; esac`,
    );
    await tool("lastcall", `exec '${process.execPath}' '${bin}' "$@" --base-url '${url}' --model '${model}'`);
    await writeFile(join(path, "job.json"), JSON.stringify({ task: "Correct the sum", until: [until[1]], yes: true }));
    git("add", ".");
    git("commit", "--quiet", "-m", "job");
    execFileSync("git", ["clone", "--quiet", path, clone], { env: { ...process.env, ...env } });
    const values: Readonly<Record<string, string>> = {
      "inputs.package": "lastcall.tgz",
      "inputs.job": "job.json",
      "inputs.token": "secret",
      "github.run_id": "7",
      "github.run_attempt": "1",
    };
    const filled = (text: string): string =>
      text.replace(/\$\{\{ ([\w.]+) \}\}/g, (__, name: string) => values[name] ?? "");
    const codes: (number | null)[] = [];
    for (const { run, env: given = {} } of action.runs.steps) {
      if (run === undefined) continue;
      const own = Object.fromEntries(Object.entries(given).map(([name, text]) => [name, filled(text)]));
      const variables = { ...process.env, ...env, ...own, RUNNER_TEMP: temp };
      const PATH = `${programs}:${process.env["PATH"] ?? ""}`;
      // The provider answers in this process meanwhile.
      const child = spawn("sh", ["-e", "-c", run], { cwd: clone, env: { ...variables, PATH }, stdio: "ignore" });
      codes.push(await new Promise<number | null>((settle) => child.on("close", settle)));
    }
    expect(await readFile(join(place, "npm"), "utf8")).toBe("install --global lastcall.tgz\n");
    expect(JSON.parse(await readFile(join(temp, "lastcall/outcome.json"), "utf8"))).toMatchObject({
      status: isDone ? "completed" : "failed",
    });
    // A runner leaves out the last step after a step that failed. It would find nothing to push.
    expect(codes).toEqual([0, isDone ? 0 : 1, 0]);
    if (!isDone) {
      expect(existsSync(join(place, "gh"))).toBe(false);
      return;
    }
    expect(git("show", "lastcall/7-1:sum")).toBe("5\n");
    expect(await readFile(join(place, "gh"), "utf8")).toContain(
      "pr create --head lastcall/7-1 --title Correct the sum --body-file",
    );
    expect(await readFile(join(place, "body"), "utf8")).toMatch(/^The sum is right now\.\n\n## Checks\n/);
  });
});
