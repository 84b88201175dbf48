// The values of printf: zsh calculates numbers, and runs the commands in them.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readsOfPrintf } from "../../../src/permission/command/expressions.js";
import { has, without } from "../../programs.js";
import { makeScene } from "../scene.js";

const run = "PATH[$(touch made)]";

test.each([
  ["%d", run],
  ["%s %d\n", "a", run],
  ["%d", "1", run],
  ["%s%d", "a", "1", "b", run],
  ["%x", run],
  ["%5.2f", run],
  ["%*s", run, "a"],
  ["%%%d", run],
  ["--", "%d", run],
  ["%n", run],
  ["%1$d", run],
  ["-v", run, "a"],
  ["%", "%d", run],
])("printf %j %j is not let through", (...words) => {
  expect(readsOfPrintf(words)).toBeUndefined();
});

test.each([
  ["%s", run],
  ["%s\n", "a", "b"],
  ["%-10s %d\n", "a", "1", "b", "-2"],
  ["100%%", run],
  ["%5.1f", "2.5"],
  ["x"],
])("printf %j %j is let through", (...words) => {
  expect(readsOfPrintf(words)).toEqual([]);
});

test.skipIf(!has("zsh"))(`zsh runs what the gate asks about${without("zsh")}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-printf-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const zsh = execFileSync("sh", ["-c", "command -v zsh"]).toString().trim();
  symlinkSync(zsh, join(folder, "sh"));
  spawnSync(join(folder, "sh"), ["-c", `printf %d '${run}'`], { cwd: folder });
  expect(existsSync(join(folder, "made"))).toBe(true);
  expect(await makeScene({}, "printf").runs(`printf %d '${run}'`)).toBe(false);
});
