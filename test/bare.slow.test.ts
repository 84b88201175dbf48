// The bare machine of CI can fail: what needs a program that only an equipped machine has is found out.

import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "lastcall-planted-")));
const [project, bin] = [join(folder, "project"), join(folder, "bin")];

/** The files of this project that a bare machine and the planted tests need. All others would be copied for each bare machine. */
const needed = ["scripts", "README.md", "package.json", ".gitignore"];

beforeAll(() => {
  for (const name of needed) cpSync(join(root, name), join(project, name), { recursive: true });
  mkdirSync(join(project, "test"));
  copyPackages("vitest");
  // The planted tests need nothing that has to be built first.
  writeFileSync(join(project, "vitest.config.js"), config);
  // This machine has ripgrep, wherever the test is run.
  mkdirSync(bin);
  writeFileSync(join(bin, "rg"), "#!/bin/sh\necho ripgrep 14.1.1\n");
  chmodSync(join(bin, "rg"), 0o755);
});

/** Copies this package and all that it needs into the project. All packages would take 30 s for each bare machine. */
function copyPackages(first: string): void {
  const names = new Set([first]);
  for (const name of names) {
    const from = join(root, "node_modules", name);
    // A package for another system is not installed. A nested package comes with the package around it.
    if (!existsSync(from)) continue;
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(from, "package.json"), "utf8"),
    ) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) names.add(each);
    cpSync(from, join(project, "node_modules", name), { recursive: true, verbatimSymlinks: true });
  }
  mkdirSync(join(project, "node_modules/.bin"));
  const bin = `${first}.mjs`;
  symlinkSync(`../${first}/${bin}`, join(project, "node_modules/.bin", first));
}

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const config = `
const report = process.env["TEST_REPORT"];
const reporters = ["default", ...(report ? [["json", { outputFile: report }]] : [])];
export default { test: { reporters, include: ["test/planted.test.ts"] } };
`;
const state = `
test("is bare", () => {
  const outside = process.env["PATH"].split(":").filter((place) => !/node_modules/.test(place));
  expect(outside.flatMap((place) => readdirSync(place)).sort()).toEqual(["node", "npm", "npx", "sh"]);
  expect(() => writeFileSync(join(homedir(), "made"), "")).toThrow(/EACCES|EROFS/);
  expect(process.getuid()).not.toBe(0);
});
`;
const needy = `
test("needs ripgrep", () => {
  expect(execFileSync("rg", ["--version"]).toString()).toContain("ripgrep");
});
`;

/** Puts tests into the project. */
function plant(...tests: readonly string[]): void {
  const imports = `
import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
`;
  writeFileSync(join(project, "test/planted.test.ts"), [imports, ...tests].join(""));
}

const vitest = "npx vitest run";

async function run(
  program: string,
  ...args: readonly string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  const { TEST_REPORT: _report, ...env } = process.env;
  const child = spawn(program, args, {
    cwd: project,
    env: { ...env, PATH: `${bin}${delimiter}${env["PATH"] ?? ""}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number>((settle) => {
    child.once("close", (status) => {
      settle(status ?? -1);
    });
  });
  const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { status, stdout, stderr };
}

const onBareMachine = (...commands: readonly string[]): ReturnType<typeof run> =>
  run(process.execPath, "scripts/bare.mjs", ...(commands.length === 0 ? [vitest] : commands));
const here = (): ReturnType<typeof run> => run("sh", "-c", vitest);

test("a test that needs ripgrep passes here, fails on the bare machine, and passes there without that need", async () => {
  plant(needy);
  expect((await here()).status).toBe(0);

  plant(state, needy);
  const found = await onBareMachine();
  expect(found.stderr).toContain("spawnSync rg ENOENT");
  expect(found.stdout.trimEnd().split("\n").at(-1)).toBe("1 passed, 1 failed, 0 skipped");
  expect(found.status).toBe(1);

  plant(state);
  const fine = await onBareMachine();
  expect(fine.stdout.trimEnd().split("\n").at(-1)).toBe("1 passed, 0 failed, 0 skipped");
  expect(fine.status).toBe(0);
}, 600_000);

test("the exit code tells tests that failed from anything else, so that no other failure is taken for a flaky test", async () => {
  plant(needy);
  const found = await onBareMachine("node -e 'process.exit(1)'", vitest);
  expect([found.stdout.trimEnd().split("\n").at(-1), found.status]).toEqual(["0 passed, 2 failed, 0 skipped", 2]);
}, 600_000);

test("commands after the README's are counted with them, in one report, and a missing report is a failure", async () => {
  const other = join(folder, "other");
  mkdirSync(other);
  cpSync(join(root, "scripts"), join(other, "scripts"), { recursive: true });
  writeFileSync(join(other, "README.md"), "npm ci && node report.mjs first\nnpm ci && node --version\n");
  writeFileSync(join(other, ".gitignore"), "node_modules\n");
  const about = { name: "other", version: "1.0.0" };
  writeFileSync(join(other, "package.json"), JSON.stringify(about));
  const lock = { ...about, lockfileVersion: 3, requires: true, packages: { "": about } };
  writeFileSync(join(other, "package-lock.json"), JSON.stringify(lock));
  const report = `const tests = [{ fullName: process.argv[2], status: "passed", failureMessages: [] }];
    const file = { name: "/test/" + process.argv[2], status: "passed", message: "", assertionResults: tests };
    require("fs").writeFileSync(process.env.TEST_REPORT, JSON.stringify({ errors: [], testResults: [file] }));`;
  writeFileSync(
    join(other, "report.mjs"),
    `import { createRequire } from "node:module";
    const require = createRequire(import.meta.url); ${report}`,
  );
  const kept = join(folder, "kept.json");
  const bare = (...commands: readonly string[]): ReturnType<typeof run> =>
    run("env", `TEST_REPORT=${kept}`, process.execPath, join(other, "scripts/bare.mjs"), "--then", ...commands);
  const found = await bare("node report.mjs second");
  expect(found.stdout.trimEnd().split("\n").at(-1), found.stdout + found.stderr).toBe("2 passed, 0 failed, 0 skipped");
  const { testResults } = JSON.parse(readFileSync(kept, "utf8")) as { testResults: readonly { name: string }[] };
  expect(testResults.map(({ name }) => name)).toEqual(["/test/first", "/test/second"]);
  const without = await bare("node --version");
  expect([without.stdout.trimEnd().split("\n").at(-1), without.status]).toEqual(["1 passed, 1 failed, 0 skipped", 1]);
}, 600_000);
