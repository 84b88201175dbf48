// Commands of git that print a file by its object, in a repository that tracks a file with secrets.

import { execFileSync } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gate } from "../../../src/permission/index.js";
import { plainVariables } from "../../../src/shell/index.js";
import { has, without } from "../../programs.js";

const hasGit = has("git");

/** A repository with a commit that holds `.env`, and the name of the object of that file. */
async function makeRepository(): Promise<{ readonly root: string; readonly object: string }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-harm-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await writeFile(join(root, ".env"), "KEY=1\n");
  const env = { ...plainVariables(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: root, env }).toString();
  git("init", "-q");
  git("add", "-f", ".env");
  git("commit", "-qm", "first");
  return { root, object: git("hash-object", ".env").trim() };
}

async function runs(root: string, command: string): Promise<boolean> {
  const reach = { command, folder: "." };
  const frozen = { id: "1", name: "run_command", effect: "execute" as const, input: { command }, reach };
  const { signal } = new AbortController();
  const deciding = { signal, session: "s", preview: () => Promise.resolve(undefined) };
  return (await gate({ root, tier: "read-only" }).decide(frozen, deciding)).allowed;
}

test.skipIf(!hasGit).each([
  ["git cat-file -p OBJECT", false],
  ["git cat-file -p :0:.env", false],
  ["git show -s OBJECT", false],
  ["git show --stat OBJECT", false],
  ["git show --stat :0:.env", false],
  ["git diff --check", false],
  ["git show --stat HEAD~0", true],
  ["git log --stat OBJECT", true],
])(`beside a file with secrets, %s runs unasked: %s${without("git")}`, async (words, isAllowed) => {
  const { root, object } = await makeRepository();
  expect(await runs(root, words.replace("OBJECT", object))).toBe(isAllowed);
});
