// command: compares the files it relies on with their state when the task began.

import { rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { all, command, type CommandCheckOptions } from "../../src/checks/index.js";
import { createAgent, type Check, type CheckVerdict, type Json, type Outcome } from "../../src/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, scriptedModel, type ScriptedCall } from "../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../src/tools/index.js";
import { asked, exists, folderOf, put } from "./folder.js";

const { signal } = new AbortController();
const sorry = "These files are protected: put them back as they were.";

interface Case {
  readonly folder: string;
  readonly begun: Json | undefined;
  verify(): Promise<CheckVerdict>;
}

/** A check that has begun in a folder with a test, a source file and a manifest. */
async function begin(options: CommandCheckOptions, line = "echo ran >> ran; echo ran"): Promise<Case> {
  const folder = await folderOf({ "test/a.test.js": "a", "src/a.js": "a", "package.json": "{}" });
  const check = command(line, { cwd: folder, ...options });
  // The value as it is read back from a stored journal.
  const begun = JSON.parse(JSON.stringify(await check.begin?.(signal))) as Json;
  return { folder, begun, verify: async () => check.verify(asked(begun)) };
}

describe("the files that a command protects", () => {
  it("is as it was: the command decides", async () => {
    const { verify } = await begin({ protect: ["test/**", "package.json"] });
    expect(await verify()).toEqual({ passed: true, output: "exit code 0\nran\n", exitCode: 0 });
  });

  it("and was edited: the command is not run, and its output says what to do", async () => {
    const { folder, verify } = await begin({ protect: ["test/**"] });
    await put(folder, "test/a.test.js", "b");
    await put(folder, "src/a.js", "b");
    const output = `Changed: test/a.test.js. ${sorry}`;
    expect(await verify()).toEqual({ passed: false, output, changed: ["test/a.test.js"] });
    expect(await exists(folder, "ran")).toBe(false);
  });

  it("and has a file more: that is a change, be it a dotfile, a link or a name with a line break", async () => {
    const { folder, verify } = await begin({ protect: ["test"], watch: [] });
    await put(folder, "test/.b", "b");
    await put(folder, "test/c\nd.test.js", "c");
    await symlink("../src", join(folder, "test/e"));
    expect(await verify()).toEqual({
      passed: false,
      output: `Added: test/.b, test/c\nd.test.js, test/e. ${sorry}`,
      changed: ["test/.b", "test/c\nd.test.js", "test/e"],
    });
  });

  it("and has a file less, or one that moved", async () => {
    const { folder, verify } = await begin({ protect: ["test", "package.json"], watch: [] });
    await rename(join(folder, "test/a.test.js"), join(folder, "test/b.test.js"));
    await rm(join(folder, "package.json"));
    expect((await verify()).output).toBe(`Added: test/b.test.js. Missing: package.json, test/a.test.js. ${sorry}`);
  });

  it("and is now a link to a folder elsewhere: it is missing", async () => {
    const { folder, verify } = await begin({ protect: ["test"], watch: [] });
    await rename(join(folder, "test"), join(folder, "copy"));
    await symlink("copy", join(folder, "test"));
    expect((await verify()).output).toBe(`Added: test. Missing: test/a.test.js. ${sorry}`);
  });

  it("and was put back before the claim: all is well", async () => {
    const { folder, verify } = await begin({ protect: ["test/**"] });
    await put(folder, "test/a.test.js", "b");
    await put(folder, "test/b.test.js", "b");
    expect((await verify()).passed).toBe(false);
    await put(folder, "test/a.test.js", "a");
    await rm(join(folder, "test/b.test.js"));
    expect(await verify()).toEqual({ passed: true, output: "exit code 0\nran\n", exitCode: 0 });
  });

  it("and is changed by the command itself: it has not passed", async () => {
    const { verify } = await begin({ protect: ["test/**"] }, "echo b > test/a.test.js; : > test/new");
    expect(await verify()).toEqual({
      passed: false,
      output: `Changed: test/a.test.js. Added: test/new. ${sorry}`,
      changed: ["test/a.test.js", "test/new"],
    });
  });

  it("is not compared again where the command failed", async () => {
    const { verify } = await begin({ protect: ["test/**"], watch: [] }, ": > test/new; exit 1");
    expect(await verify()).toEqual({ passed: false, output: "exit code 1\n[no output]", exitCode: 1 });
  });

  it("is not what a run leaves in __pycache__", async () => {
    const { verify } = await begin(
      { protect: ["test"] },
      `node -e 'fs.mkdirSync("test/__pycache__"); fs.writeFileSync("test/__pycache__/a.pyc", "")'`,
    );
    expect((await verify()).passed).toBe(true);
  });

  it("and nobody knows what it was like: it has not passed", async () => {
    const folder = await folderOf({ "test/a": "a" });
    const check = command("echo x > ran", { cwd: folder, protect: ["test"] });
    for (const begun of [undefined, null, "x", {}, { protect: [], watch: {} }]) {
      const verdict = await check.verify(asked(begun));
      expect(verdict).toMatchObject({ passed: false, output: expect.stringContaining("Nobody knows") });
    }
    expect(await exists(folder, "ran")).toBe(false);
  });

  it("is told in part where it is much", async () => {
    const { folder, verify } = await begin({ protect: ["test"] });
    for (let number = 100; number < 130; number += 1) await put(folder, `test/${String(number)}`, "");
    const { output, changed } = await verify();
    expect(output).toMatch(/^Added: test\/100, .*, test\/119 and 10 more\. These/);
    expect(changed).toHaveLength(30);
  });

  it("has to be there when the task begins", async () => {
    const folder = await folderOf({ "test/a": "a" });
    const begun = command("true", { cwd: folder, protect: ["test/**", "tset/**"] }).begin?.(signal);
    await expect(begun).rejects.toThrow(
      `protect: the pattern "tset/**" means no file in ${folder}. Give one that does`,
    );
    await expect(begun).rejects.toMatchObject({ code: "configuration" });
  });
});

describe("the files that a command watches", () => {
  it("is reported where it changed, and decides nothing", async () => {
    const { folder, verify } = await begin({});
    expect(await verify()).not.toHaveProperty("changed");
    await put(folder, "src/a.js", "b");
    await put(folder, "test/b.js", "b");
    await put(folder, "package.json", "{ }");
    await rm(join(folder, "test/a.test.js"));
    const changed = ["package.json", "test/a.test.js", "test/b.js"];
    expect(await verify()).toEqual({ passed: true, output: "exit code 0\nran\n", exitCode: 0, changed });
  });

  it("is reported with a failure as well", async () => {
    const { folder, verify } = await begin({}, "exit 3");
    await put(folder, "package.json", "{ }");
    expect(await verify()).toMatchObject({ passed: false, exitCode: 3, changed: ["package.json"] });
  });

  it("is reported beside what is protected, each file once", async () => {
    const { folder, verify } = await begin({ protect: ["test"] });
    await put(folder, "test/a.test.js", "b");
    await put(folder, "package.json", "{ }");
    const output = `Changed: test/a.test.js. ${sorry}`;
    expect(await verify()).toEqual({ passed: false, output, changed: ["package.json", "test/a.test.js"] });
  });

  it("is what one says, or nothing", async () => {
    const own = await begin({ watch: ["src/"] });
    const none = await begin({ watch: [] });
    for (const { folder } of [own, none]) {
      await put(folder, "src/a.js", "b");
      await put(folder, "test/a.test.js", "b");
    }
    expect((await own.verify()).changed).toEqual(["src/a.js"]);
    expect(await none.verify()).not.toHaveProperty("changed");
    expect(none.begun).toEqual({ protect: {}, watch: {} });
  });

  it("is nothing where nobody knows what it was like", async () => {
    const { folder } = await begin({});
    expect(await command("true", { cwd: folder }).verify(asked())).not.toHaveProperty("changed");
  });

  it.each([
    ["test/a.js", "x/tests/a.py", "src/__tests__/a.ts", "spec/a_spec.rb", "e2e/.hidden"],
    ["src/a.test.ts", "a.spec.jsx", "pkg/a_test.go", "test_a.py", "x/conftest.py", "src/ATest.java", "ATests.cs"],
    ["package.json", "packages/a/package.json", "Makefile", "pyproject.toml", "Cargo.toml", "build.gradle.kts"],
    [
      "vitest.config.ts",
      "jest.config.js",
      "tsconfig.build.json",
      "eslint.config.mjs",
      ".eslintrc.json",
      ".mocharc.yml",
    ],
  ])("are by default tests and what runs them: %s and its like", async (...paths) => {
    const folder = await folderOf(Object.fromEntries(paths.map((path) => [path, ""])));
    await put(folder, "src/latest.ts", "");
    await put(folder, "src/contest.py", "");
    await put(folder, "README.md", "");
    const begun = (await command("true", { cwd: folder }).begin?.(signal)) as { readonly watch: object };
    expect(Object.keys(begun.watch).sort()).toEqual([...paths].sort());
  });
});

describe("a model that edits the test", () => {
  const bad = "process.exit(1)";
  const cheat = call("write_file", { path: "test/a.test.js", content: "process.exit(0)" });
  const mend = call("write_file", { path: "test/a.test.js", content: bad });
  const done = call("task_completion", { result: "done" });

  async function run(check: (folder: string) => Check, ...steps: readonly ScriptedCall[]): Promise<Outcome> {
    const folder = await folderOf({ "test/a.test.js": bad, "src/a.js": "" });
    const agent = createAgent({
      model: scriptedModel(steps.map((step) => [step])),
      tools: [taskCompletion(), ...workspaceTools({ root: folder })],
      permission: allowAll(),
      checks: [check(folder)],
      maxAttempts: 2,
    });
    return agent.run("Make the test pass");
  }

  it("is found out: the receipt names the file", async () => {
    const outcome = await run((cwd) => command("node test/a.test.js", { cwd }), cheat, done);
    if (outcome.status !== "completed") throw new Error(outcome.status);
    expect(outcome.receipts).toMatchObject([{ passed: true, passedAtBaseline: false, changed: ["test/a.test.js"] }]);
  });

  it("gets nowhere where the test is protected, until it is put back and the work is done", async () => {
    const check = (cwd: string): Check => command("node test/a.test.js || test -f done", { cwd, protect: ["test"] });
    const stopped = await run(check, cheat, done, done);
    expect(stopped).toMatchObject({ status: "stopped" });
    const texts = stopped.session.records.flatMap((one) => (one.type === "result" ? [one.result.text] : []));
    expect(texts.at(-1)).toContain(`Changed: test/a.test.js. ${sorry}`);
    const finish = call("write_file", { path: "done", content: "" });
    const completed = await run(check, cheat, done, mend, finish, done);
    expect(completed).toMatchObject({ status: "completed", receipts: [{ changed: [], failedBefore: 1 }] });
  });

  it("gets nowhere either where the command is one of all(...)", async () => {
    const check = (cwd: string): Check =>
      all(command("true", { cwd, watch: [] }), command("node test/a.test.js", { cwd, protect: ["test/"] }));
    const outcome = await run(check, cheat, done, done);
    expect(outcome).toMatchObject({ status: "stopped" });
    const checks = outcome.session.records.flatMap((one) =>
      one.type === "check" && one.when === "claim" ? [one] : [],
    );
    expect(checks[0]).toMatchObject({ passed: false, changed: ["test/a.test.js"] });
    expect(checks[0]?.output).toBe(`true: passed\nnode test/a.test.js: failed\nChanged: test/a.test.js. ${sorry}`);
  });

  it("can't even start where a pattern is a slip", async () => {
    const outcome = await run((cwd) => command("true", { cwd, protect: ["tset"] }), done);
    expect(outcome).toMatchObject({ status: "failed", fault: { code: "configuration" } });
  });
});
