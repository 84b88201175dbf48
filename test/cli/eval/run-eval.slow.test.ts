// lastcall eval: a file in, a table and an exit code out.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Report } from "../../../src/evals/index.js";
import { built } from "../../dist.js";
import { newFolder } from "../../evals/world.js";
import { taskFolder } from "../../evals/harbor/harbor-world.js";
import { without } from "../../programs.js";
import { runHere } from "../command.js";

let files = 0;

/** An eval file of a new name whose variant is a command: it writes the text into the file `out`, and the truth wants `good`. */
function evalFile(folder: string, writes: string, more = ""): string {
  files += 1;
  const path = join(folder, `echo${String(files)}.eval.mjs`);
  writeFileSync(
    path,
    `import { evaluation, hidden } from ${JSON.stringify(built("evals"))};
export default evaluation({
  name: "echo",
  tasks: ["a", "b", "c", "d", "e", "f"].map((id) => ({
    id, input: "write " + id, truth: hidden(undefined, 'read a < out; test "$a" = good'),
    solution: async (root) => (await import("node:fs/promises")).writeFile(root + "/out", "good\\n"),
  })),
  variants: { shell: { command: ["sh", "-c", ${JSON.stringify(writes)}, "{task}"] } },
  trials: 2,
  ${more}
});
`,
  );
  return path;
}

test("a table goes to standard output, a line for each trial to standard error, and the files beside the eval's file", async () => {
  const folder = newFolder();
  const ended = await runHere(["eval", evalFile(folder, "echo good > out")]);
  expect(ended).toMatchObject({ code: 0 });
  expect(ended.stdout).toContain("echo: 6 tasks, 1 arm, 12 trials");
  expect(ended.stdout).toMatch(/shell +command +12\/12 100 %/);
  expect(ended.stderr).toContain("12/12");
  const run = join(folder, ".lastcall/evals/echo/1");
  expect(readFileSync(join(run, "report.xml"), "utf8")).toContain(
    '<testsuite name="shell.command" tests="6" failures="0"',
  );
  expect(ended.stderr).toContain(`the report for a browser: ${join(run, "report.html")}`);
  expect(readFileSync(join(run, "report.html"), "utf8")).toContain('<td class="figure" data-label="passed"');
  expect(readFileSync(join(run, "rows.jsonl"), "utf8").trim().split("\n")).toHaveLength(12);
});

test("--dry-run says what it is likely to cost, and runs nothing", async () => {
  const folder = newFolder();
  const ended = await runHere(["eval", evalFile(folder, "echo good > out"), "--dry-run", "--trials", "3"]);
  expect(ended).toMatchObject({ code: 0, stdout: "" });
  expect(ended.stderr).toContain("18 trials, about 0 tokens");
  expect(existsSync(join(folder, ".lastcall"))).toBe(false);
});

describe("--against", () => {
  test("ends with exit code 2 if the agent got worse, and says which tasks fell", async () => {
    const folder = newFolder();
    const kept = join(folder, "kept.json");
    const good = await runHere(["eval", evalFile(folder, "echo good > out"), "--report", kept]);
    expect(good.code).toBe(0);
    const bad = await runHere(["eval", evalFile(folder, "echo bad > out"), "--against", kept]);
    expect(bad.code).toBe(2);
    expect(bad.stdout).toContain("shell with command, now and before: worse");
    expect(bad.stdout).toContain("fell: a 2/2 to 0/2");
    expect(bad.stderr).toContain("failed: shell with command fell by 100.0 points");
    const [, page = ""] = /the report for a browser: (.*)/.exec(bad.stderr) ?? [];
    expect(readFileSync(page, "utf8")).toContain("shell with command, now and before: worse, -100.0 points");
    const same = await runHere(["eval", evalFile(folder, "echo good > out"), "--against", kept]);
    expect(same.code).toBe(0);
  });

  test.skipIf(without("git") !== "")(`reads the report at a commit of git${without("git")}`, async () => {
    const folder = newFolder();
    const file = evalFile(folder, "echo good > out");
    const git = (...args: readonly string[]): void => {
      const { status, stderr } = spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
        cwd: folder,
      });
      expect(status, String(stderr)).toBe(0);
    };
    await runHere(["eval", file, "--report", join(folder, "kept.json"), "--quiet"]);
    git("init", "-q");
    git("add", "kept.json");
    git("commit", "-qm", "a report");
    const other = ["--report", join(folder, "kept.json")];
    const bad = await runHere(["eval", evalFile(folder, "echo bad > out"), "--against", "HEAD", ...other]);
    expect(bad.code).toBe(2);
    const none = await runHere(["eval", file, "--against", "nowhere"]);
    expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining("neither a file nor a commit of git") });
  });
});

test("--json prints the report with its comparisons", async () => {
  const ended = await runHere(["eval", evalFile(newFolder(), "echo good > out"), "--json", "--quiet"]);
  const report = JSON.parse(ended.stdout) as Report & { readonly comparisons: readonly unknown[] };
  expect(report.rows).toHaveLength(12);
  expect(report.comparisons).toEqual([]);
  expect(ended.stderr).toBe("");
});

test("a task that must pass and failed ends with exit code 2", async () => {
  const folder = newFolder();
  const path = evalFile(folder, "echo bad > out");
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace('id, input: "write " + id', 'id, must: id === "c", input: "write " + id'),
  );
  const ended = await runHere(["eval", path]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain("c must always pass, and c.shell.command.1, c.shell.command.2 failed");
});

test.each([
  [["eval"], "lastcall eval needs a file"],
  [["eval", "x.mjs", "--suite", "truth"], "stands in place of a file"],
  [["eval", "x.mjs", "--model", "m"], "--model goes with --suite"],
  [["eval", "--suite", "lies"], "is none of truth"],
  [["eval", "nowhere.mjs"], "there is no such file"],
  [["do it", "--against", "x"], "A task takes no --against, which goes with lastcall eval"],
])("a wrong command line is refused: %j", async (argv, words) => {
  const ended = await runHere(argv);
  expect(ended.code).toBe(4);
  expect(ended.stderr).toContain(words);
});

test("a module without an evaluation is refused with what to write", async () => {
  const path = join(newFolder(), "none.mjs");
  writeFileSync(path, "export default { tasks: [] };\n");
  const ended = await runHere(["eval", path]);
  expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining("export default evaluation({") });
});

describe("a folder of Harbor tasks", () => {
  test("a task that can't be tried is void, with the reason in the lines of progress", async () => {
    const folder = taskFolder({ "task.toml": "[environment]\ngpus = 1\n" });
    const env = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", OPENAI_API_KEY: "sk-test-key" };
    const before = process.cwd();
    process.chdir(newFolder());
    onTestFinished(() => {
      process.chdir(before);
    });
    const ended = await runHere(["eval", folder, "--model", "m", "--trials", "1"], env);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/control of count-lines: void: .*it needs a GPU/);
    expect(ended.stderr).toContain("failed: 2 of 2 trials are void, more than 5 %");
  });
});
