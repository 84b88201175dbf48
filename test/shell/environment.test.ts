// The variables of commands, with a real git: reading a repository runs none of its hooks, and checks no signature.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { plainVariables } from "../../src/shell/index.js";
import { has, without } from "../programs.js";

test.skipIf(!has("git"))(`git status runs no hook of the repository${without("git")}`, async () => {
  const root = await mkdtemp(join(tmpdir(), "lastcall-environment-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const plain = { ...plainVariables(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = (env: NodeJS.ProcessEnv, ...args: readonly string[]): string =>
    execFileSync("git", [...args], { cwd: root, env, encoding: "utf8" });
  git(plain, "init", "-q");
  await writeFile(join(root, "a"), "x");
  git(plain, "add", "a");
  const mark = join(root, "mark");
  const hook = join(root, ".git/hooks/post-index-change");
  await writeFile(hook, `#!/bin/sh\n: > '${mark}'\n`, { mode: 0o755 });
  // A file whose time changed makes git refresh its index.
  await utimes(join(root, "a"), 1, 1);
  git(plain, "status");
  expect(existsSync(mark)).toBe(false);
  // Without these variables it runs the hook: the test would see it.
  git({ ...plain, GIT_OPTIONAL_LOCKS: "1" }, "status");
  expect(existsSync(mark)).toBe(true);
  expect(git(plain, "config", "--get", "log.showSignature").trim()).toBe("false");
});
