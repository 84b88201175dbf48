// lastcall run JOB: what a job leaves in a fresh clone, and the exit code of each ending.

import { execFileSync } from "node:child_process";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, type Script } from "../../../src/testing/index.js";
import { runHere, start } from "../command.js";
import { correct, done, inRepository, noCommits, until } from "./repository-folder.js";

const check = until[1] ?? "";
const look: Script = () => [call("read_file", { path: "none" })];
let key = 0;
const busy = () => [call("list_files", { path: `.${"/.".repeat((key += 1))}` })];
const change = call("write_file", { path: "other", content: "x" });

interface Row {
  readonly script: Script;
  readonly job: Readonly<Record<string, unknown>>;
  readonly code: number;
  /** Words on standard error. */
  readonly says: string;
  readonly status: string;
}

const endings: Readonly<Record<string, Row>> = {
  "completed and checked": {
    script: correct,
    job: { until: [check] },
    code: 0,
    says: "Committed on sum",
    status: "completed",
  },
  "completed without a check": { script: correct, job: {}, code: 0, says: "Committed on sum", status: "completed" },
  "completed, though its checks prove nothing": {
    ...{ script: correct, job: { until: ["true"] }, code: 5 },
    ...{ says: "Committed on sum", status: "completed" },
  },
  "completed without the check that is required": {
    ...{ script: correct, job: { "require-verified": true }, code: 6, status: "completed" },
    says: "Nothing is committed: no check verified the completion",
  },
  "the goal reached, without a claim": {
    ...{ script: ({ number }) => (number === 1 ? (correct as readonly (readonly never[])[])[0]! : busy()), code: 0 },
    ...{ job: { "until-every": [check] }, says: "Committed on sum", status: "stopped" },
  },
  "a question": {
    ...{ script: [[call("ask_question", { question: "Which sum?" })]], job: {}, code: 3 },
    ...{ says: "Nothing is committed: waiting for an answer", status: "waiting" },
  },
  "an approval that waits": {
    ...{ script: [[change], done], job: { yes: false, ask: true, park: true }, code: 3 },
    ...{ says: "Nothing is committed: waiting for an approval of write_file", status: "waiting" },
  },
  "a limit": {
    ...{ script: busy, job: { "max-iterations": 2 }, code: 2 },
    ...{ says: "Nothing is committed: stopped (max_iterations)", status: "stopped" },
  },
  "the time is up": {
    ...{ script: () => ({ calls: busy(), delay: 60_000 }), job: { timeout: "400ms" }, code: 124 },
    ...{ says: "Nothing is committed: stopped (timeout)", status: "stopped" },
  },
  "an open circuit": {
    script: look,
    job: {},
    code: 2,
    says: "Nothing is committed: stopped (circuit_open)",
    status: "stopped",
  },
  "a check that fails": {
    ...{ script: () => done, job: { until: ["false"], attempts: 2 }, code: 2 },
    ...{ says: "Nothing is committed: stopped (checks_failed)", status: "stopped" },
  },
  "a cap that is broken": {
    ...{ script: ({ number }) => (number === 1 ? [change] : done), job: { cap: ["files: 0"], attempts: 2 }, code: 2 },
    ...{ says: "Nothing is committed: stopped (checks_failed)", status: "stopped" },
  },
  "a model that gives up": {
    ...{ script: [[call("give_up", { reason: "No." })]], job: {}, code: 2 },
    ...{ says: "Nothing is committed: stopped (gave_up)", status: "stopped" },
  },
  "a fault": {
    ...{ script: [{ status: 404, message: "no such model" }], job: {}, code: 1 },
    ...{ says: "Nothing is committed: failed", status: "failed" },
  },
  "a key that is not taken": {
    ...{ script: [{ status: 401, message: "bad key" }], job: {}, code: 4 },
    ...{ says: "Nothing is committed: failed", status: "failed" },
  },
};

describe.skipIf(noCommits !== "")(`a job in a repository${noCommits}`, () => {
  test.each(Object.entries(endings))("%s", async (_, { script, job, code, says, status }) => {
    await inRepository(async ({ path, env, git, server }) => {
      const file = join(path, "../job.json");
      const outputs = { branch: "sum", "pr-text": "out/pr.md", artifacts: "out", workdir: "project" };
      await writeFile(file, JSON.stringify({ task: "Correct the sum", yes: true, ...outputs, ...job }));
      const ended = await runHere(["run", file, ...(await server(script))], env, "not a word of the task");
      expect(ended.code, ended.stderr).toBe(code);
      expect(ended.stderr).toContain(says);
      expect(JSON.parse(await readFile(join(path, "../out/outcome.json"), "utf8"))).toMatchObject({
        status,
        session: { records: expect.arrayContaining([expect.objectContaining({ text: "Correct the sum" })]) },
      });
      const isCommitted = says.startsWith("Committed");
      expect(git("branch", "--format=%(refname:short)")).toBe(isCommitted ? "main\nsum\n" : "main\n");
      expect((await readdir(join(path, "../out"))).toSorted()).toEqual(
        ["outcome.json", ...(isCommitted ? ["pr.md"] : []), "trajectory.json"].toSorted(),
      );
    });
  });

  test("that is interrupted ends with 130, and leaves its artifacts", async () => {
    await inRepository(async ({ path, env, git, server }) => {
      const file = join(path, "../job.json");
      const job = { task: "Correct the sum", verbose: true, branch: "sum", artifacts: "out", workdir: "project" };
      await writeFile(file, JSON.stringify(job));
      const { child, ended, seen } = start(["run", file, ...(await server([{ calls: busy(), delay: 60_000 }]))], env);
      await seen("asking, with");
      child.kill("SIGINT");
      await new Promise((wake) => setTimeout(wake, 300));
      child.kill("SIGINT");
      expect(await ended).toMatchObject({
        code: 130,
        stderr: expect.stringContaining("Nothing is committed: interrupted"),
      });
      expect(JSON.parse(await readFile(join(path, "../out/outcome.json"), "utf8"))).toMatchObject({
        status: "aborted",
      });
      expect(git("branch", "--format=%(refname:short)")).toBe("main\n");
    });
  });

  test("in YAML leaves a branch that a fresh clone can push", async () => {
    await inRepository(async ({ path, env, git, write, server }) => {
      const lines = [
        "task: Correct the sum",
        `until: ['${check}']`,
        'cap: ["files: 1"]',
        "yes: true",
        "branch: sum",
        "pr-text: ../pr.md",
      ];
      await write("job.yaml", `${lines.join("\n")}\n`);
      git("add", "job.yaml");
      git("commit", "--quiet", "-m", "job");
      const clone = join(path, "../clone");
      execFileSync("git", ["clone", "--quiet", path, clone], { env: { ...process.env, ...env } });
      const args = ["run", join(clone, "job.yaml"), "--workdir", clone, ...(await server(correct))];
      const ended = await runHere(args, env);
      expect(ended.code, ended.stderr).toBe(0);
      execFileSync("git", ["push", "--quiet", "origin", "sum"], { cwd: clone, env: { ...process.env, ...env } });
      expect(git("show", "sum:sum")).toBe("5\n");
      const text = await readFile(join(path, "../pr.md"), "utf8");
      expect(text).toContain("- rule `at most 1 file`: passed\n");
      expect(text).toContain("Nothing that the model or a check names.");
    });
  });

  test("can't change its own file, and trusts no other file of the folder", async () => {
    await inRepository(async ({ path, env, write, read, server }) => {
      const text = join(path, "../pr.md");
      await write("job.json", JSON.stringify({ task: "Correct the sum", yes: true, commit: true, "pr-text": text }));
      await write("lastcall.config.json", '{ "until": ["false"] }');
      const script: Script = [
        [call("write_file", { path: "job.json", content: "{}" }), call("write_file", { path: "sum", content: "5\n" })],
        done,
      ];
      const ended = await runHere(["run", join(path, "job.json"), "--workdir", path, ...(await server(script))], env);
      expect(ended.code, ended.stderr).toBe(0);
      expect(ended.stderr).toContain("lastcall.config.json is not used");
      expect(await read("job.json")).toContain("Correct");
      // The files of the options are no work of others.
      expect(await readFile(text, "utf8")).toMatch(/not in the commit: `lastcall\.config\.json`\n/);
    });
  });
});
