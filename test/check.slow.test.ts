// `npm run check` tells a flake from a fault, with real runs of vitest in a project of its own.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";

const root = resolve(import.meta.dirname, "..");

// A check starts the runner up to six times: each takes ten seconds on a machine that others use.
vi.setConfig({ testTimeout: 300_000 });

/** The beginning of each planted file. `once` is true at the first call of the project with this name, and false at all later ones. */
const imports = `
import { existsSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
function once(name) {
  if (existsSync(name)) return false;
  writeFileSync(name, "");
  return true;
}
`;

const fine = `test("is fine", () => {});`;
const failsOnce = (name: string): string => `test("fails once", () => expect(once("${name}")).toBe(false)); ${fine}`;
const failsAlways = `test("fails always", () => expect(1).toBe(2)); ${fine}`;
const loadsOnlyTwice = `if (once("load")) throw new Error("not loaded"); ${fine}`;
const hookFailsOnce = `describe("a group", () => {
  beforeAll(() => { if (once("hook")) throw new Error("no hook"); });
  ${fine}
});`;
const unhandled = `test("leaves an error", async () => {
  void Promise.reject(new Error("nobody caught it"));
  await new Promise((end) => setTimeout(end, 50));
});`;
const isSlowCase = `test("is alone", () => {
  expect(process.env["SETTING"]).toBe("its own");
  expect(once("alone")).toBe(false);
});`;

interface Checked {
  readonly status: number;
  readonly lines: readonly string[];
  /** The lines between `flaky:` and the end of the list. */
  readonly flaky: readonly string[];
}

/** Runs a check over a project with these test files. */
async function check(files: Readonly<Record<string, string>>): Promise<Checked> {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "lastcall-check-test-")));
  onTestFinished(() => {
    rmSync(project, { recursive: true, force: true });
  });
  const put = (path: string, words: string): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), words);
  };
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  put(
    "vitest.config.mjs",
    `import { LeftOut } from ${JSON.stringify(join(root, "scripts/left-out.mjs"))};
    import { TestReport } from ${JSON.stringify(join(root, "scripts/test-report.mjs"))};
    const reporters = ["default", new LeftOut(), new TestReport(process.env["TEST_REPORT"])];
    export default { test: { reporters, isolate: false, maxWorkers: 1 } };`,
  );
  put(
    "check.mjs",
    `import { runCheck } from ${JSON.stringify(join(root, "scripts/check/run-check.mjs"))};
    const runner = ${JSON.stringify(join(root, "node_modules/vitest/vitest.mjs"))};
    const command = ["env", "SETTING=its own", process.execPath, runner, "run"];
    const again = (file) => [...command, file];
    const phases = [[[{ name: "tests", command, again }]], [[{ name: "lint", command: ["node", "-e", "console.log('linted')"] }]]];
    process.exitCode = (await runCheck(phases)) ? 0 : 1;`,
  );
  for (const [path, words] of Object.entries(files)) put(path, imports + words);
  const { TEST_REPORT: _report, ...env } = process.env;
  const child = spawn(process.execPath, ["check.mjs"], { cwd: project, env, stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise<number>((settle) =>
    child.once("close", (status) => {
      settle(status ?? -1);
    }),
  );
  const [status, printed] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  const lines = printed.trimEnd().split("\n");
  const at = lines.lastIndexOf("flaky:");
  const flaky = at < 0 ? [] : lines.slice(at + 1, lines.indexOf("", at));
  return { status, lines, flaky };
}

const last = ({ lines }: Checked): string | undefined => lines.at(-1);

test("what fails once is flaky: a test, a file that does not load, a hook; the counts are those of both tries", async () => {
  const found = await check({
    "test/a.test.ts": failsOnce("a"),
    "test/load.test.ts": loadsOnlyTwice,
    "test/hook.test.ts": hookFailsOnce,
    "test/fine.test.ts": fine,
  });
  expect(last(found), found.lines.join("\n")).toBe("5 passed, 0 failed, 0 skipped");
  expect(found.status).toBe(0);
  expect(found.flaky.filter((line) => line.startsWith("tests: ")).toSorted()).toEqual([
    "tests: test/a.test.ts > fails once: AssertionError: expected true to be false // Object.is equality",
    "tests: test/hook.test.ts: a group: no hook",
    "tests: test/load.test.ts: not loaded",
  ]);
  // The second tries come after all steps, one by one.
  const begun = found.lines.filter((line) => /^== [^:]*(?:: test.*ts)?$/.test(line));
  expect(begun.slice(0, 2)).toEqual(["== tests", "== lint"]);
  expect(begun.slice(2).toSorted()).toEqual(
    ["a", "hook", "load"].map((name) => `== tests, once more: test/${name}.test.ts`),
  );
});

test("the second try has the setting of the first", async () => {
  const found = await check({ "test/setting.test.ts": isSlowCase });
  expect([found.status, last(found)], found.lines.join("\n")).toEqual([0, "1 passed, 0 failed, 0 skipped"]);
});

test("what fails twice fails the check, beside a flake", async () => {
  const found = await check({ "test/a.test.ts": failsOnce("a"), "test/b.test.ts": failsAlways });
  expect([found.status, last(found)], found.lines.join("\n")).toEqual([1, "3 passed, 1 failed, 0 skipped"]);
  expect(found.lines).toContain("Broken: tests.");
  expect(found.flaky).toHaveLength(1);
});

test("one failure is enough in the suites that look for what happens seldom", async () => {
  const found = await check({
    "test/shell/a.test.ts": failsOnce("a"),
    "test/tools/set-aside-race.test.ts": failsOnce("b"),
  });
  expect([found.status, last(found)], found.lines.join("\n")).toEqual([1, "2 passed, 2 failed, 0 skipped"]);
  expect(found.lines.some((line) => line.includes("once more"))).toBe(false);
});

test("an error that no test caught fails the check, although all that failed was flaky", async () => {
  const found = await check({ "test/a.test.ts": failsOnce("a"), "test/b.test.ts": unhandled });
  expect([found.status, last(found)], found.lines.join("\n")).toEqual([1, "3 passed, 0 failed, 0 skipped"]);
  expect(found.lines).toContain("Broken: tests.");
  expect(found.lines.join("\n")).toContain("tests, outside of the tests: Error: nobody caught it");
  expect(found.flaky).toHaveLength(1);
});

test("a worker that dies fails the check", async () => {
  const found = await check({
    "test/a.test.ts": `${failsOnce("a")} test("dies", () => process.kill(process.pid, "SIGKILL"));`,
  });
  expect(found.status, found.lines.join("\n")).toBe(1);
  expect(found.lines).toContain("Broken: tests.");
});

test("more than three flaky files fail the check", async () => {
  const names = ["a", "b", "c", "d"];
  const found = await check(Object.fromEntries(names.map((name) => [`test/${name}.test.ts`, failsOnce(name)])));
  expect([found.status, last(found)], found.lines.join("\n")).toEqual([1, "8 passed, 0 failed, 0 skipped"]);
  expect(found.lines).toContain("4 test files are flaky. The check fails with more than 3.");
  expect(found.flaky).toHaveLength(4);
});
