// The look at a repository, in real folders; the index is one that git made.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { lookAtRepository, strangeKey } from "../../../src/permission/decide/git-repository.js";
import { plainVariables } from "../../../src/shell/index.js";
import { processorTime } from "../../processor-time.js";
import { has, without } from "../../programs.js";
import { readingAtMost } from "../../files/short-reads.js";

async function makeRepository(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-repository-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const usual = { ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n\tbare = false\n" };
  for (const folder of ["objects", "refs"]) await mkdir(join(root, ".git", folder), { recursive: true });
  for (const [name, content] of Object.entries({ ...usual, ...files })) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return root;
}

function reasonOf(root: string, folder = root): string {
  const found = lookAtRepository(root, folder);
  return found.is === "refused" ? found.reason : "nothing";
}

it("a usual repository is harmless, also in a folder of it", async () => {
  const root = await makeRepository({ "src/a": "" });
  expect(reasonOf(root)).toBe("nothing");
  expect(reasonOf(root, join(root, "src"))).toBe("nothing");
});

it.each<[Readonly<Record<string, string>>, string, string]>([
  [{ ".git/config": "[diff]\n\texternal = x\n" }, ".", "the key diff.external"],
  [{ ".git/config.worktree": "[core]\n\tfsmonitor = x\n" }, ".", ".git/config.worktree has the key core.fsmonitor"],
  [{ ".git/config": `# ${"x".repeat(65_536)}` }, ".", "too large"],
  [{ ".git/commondir": "x" }, ".", ".git/commondir"],
  [{ ".git/objects/info/alternates": "x" }, ".", "alternates"],
  [{ ".git/hooks/post-index-change": "x" }, ".", "post-index-change"],
  [{ ".git/sharedindex.1": "x" }, ".", "split"],
  [{ ".git/index": "no index" }, ".", "can't be read"],
  [{ "sub/.git": "gitdir: x" }, "sub", "a repository within"],
  [{ "sub/deep/a": "", "sub/HEAD": "x" }, "sub/deep", "a repository within"],
  [{}, ".git", "root's own"],
])("%j in %s: %s", async (files, folder, words) => {
  const root = await makeRepository(files);
  expect(reasonOf(root, join(root, folder))).toContain(words);
});

it("a key of the config was not seen behind a read that got less than the file has", async () => {
  const root = await makeRepository({ ".git/config": "[core]\n\tbare = false\n[diff]\n\texternal = x\n" });
  readingAtMost(20);
  expect(reasonOf(root)).toContain("the key diff.external");
});

it("a .git that is no real folder, or not whole, is refused", async () => {
  const root = await makeRepository();
  await symlink(join(root, ".git"), join(root, "link"));
  const other = await realpath(await mkdtemp(join(tmpdir(), "lastcall-repository-")));
  onTestFinished(() => rm(other, { recursive: true, force: true }));
  expect(reasonOf(other)).toContain("not the root of a repository");
  await symlink(join(root, ".git"), join(other, ".git"));
  expect(reasonOf(other)).toContain("not the root of a repository");
  await rm(join(root, ".git/config"));
  await symlink("/etc/hostname", join(root, ".git/config"));
  expect(reasonOf(root)).toContain("no ordinary file");
});

it.each([
  ".git/rebase-merge/head-name",
  ".git/packed-refs",
  ".git/refs/heads/main",
  ".git/objects/pack",
  ".git/objects/00/1",
  ".git/logs/HEAD",
  ".git/worktrees/w/HEAD",
  ".git/modules/m/config",
  ".git/info/attributes",
  ".git/BISECT_LOG",
])("a link at %s is refused, because git follows it", async (name) => {
  const root = await makeRepository({ [`${name}.kept`]: "", "notes.txt": "" });
  expect(reasonOf(root)).toBe("nothing");
  await symlink(join(root, "notes.txt"), join(root, name));
  expect(reasonOf(root)).toContain(`${name} is no ordinary file`);
});

it("a link is found in a folder that was seen without it, also if the time of the folder is set back", async () => {
  const root = await makeRepository({ ".git/logs/HEAD": "" });
  // A folder that was just changed is looked at again in any case.
  await sleep(2100);
  expect(reasonOf(root)).toBe("nothing");
  const before = new Date(Date.now() - 60_000);
  await symlink("/etc/hostname", join(root, ".git/logs/x"));
  await utimes(join(root, ".git/logs"), before, before);
  for (let look = 0; look < 2; look += 1) expect(reasonOf(root)).toContain(".git/logs/x is no ordinary file");
  await rm(join(root, ".git/logs/x"));
  expect(reasonOf(root)).toBe("nothing");
});

it("10,000 loose objects take some milliseconds, and more entries than can be looked at are refused", async () => {
  const root = await makeRepository();
  const folders = Array.from({ length: 256 }, (_one, index) => index.toString(16).padStart(2, "0"));
  const fill = async (name: string): Promise<void> => {
    for (const folder of folders) {
      const place = join(root, ".git/objects", folder);
      await mkdir(place, { recursive: true });
      for (let index = 0; index < 40; index += 1) writeFileSync(join(place, `${name}${String(index)}`), "");
    }
  };
  await fill("a");
  const spent = processorTime();
  expect(reasonOf(root)).toBe("nothing");
  expect(spent()).toBeLessThan(60);
  await fill("b");
  expect(reasonOf(root)).toContain("too many entries to look for links");
});

describe("the keys of a config", () => {
  it.each([
    "[core]\n\tautocrlf = input\n; note\n# note\n\n[user]\nname = A B\n",
    '[remote "origin"]\n\turl = git@example.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "a/b"]\n\tmerge = x\n',
    "[CORE]\r\n\tFileMode\r\n",
  ])("%j is harmless", (text) => {
    expect(strangeKey(text)).toBeUndefined();
  });

  it.each([
    ["[core]\n\tpager = x", "core.pager"],
    ["[include]\n\tpath = x", "include.path"],
    ['[filter "x"]\n\tclean = y', "filter.x.clean"],
    ['[merge "x"]\n\tdriver = y', "merge.x.driver"],
    ["[core] pager = x", "line 1"],
    ["[core]\n\tbare = false \\\n\tpager = x", "line 2"],
    ["bare = false", "line 1"],
    ['[remote "a\\"b"]\n\turl = x', "line 1"],
    ["[diff.x]\n\ttextconv = y", "line 1"],
    ['[remote "o"]\n\tvcs = x', "remote.o.vcs"],
  ])("%j: %s", (text, words) => {
    expect(strangeKey(text)).toContain(words);
  });
});

const git = has("git");

test.skipIf(!git).each([2, 3, 4])(`the names in an index of version %i are read${without("git")}`, async (version) => {
  const root = await makeRepository({
    "a.txt": "",
    "src/deep/b.ts": "",
    "src/deep/c.ts": "",
    ".env": "",
    "late.txt": "",
  });
  const env = { ...plainVariables(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const run = (...args: readonly string[]): unknown => execFileSync("git", [...args], { cwd: root, env });
  run("-c", `index.version=${String(version)}`, "add", "a.txt", "src", ".env");
  // Only a file that is announced makes an index of version 3.
  run("add", "-N", "late.txt");
  const found = lookAtRepository(root, root);
  const names = [".env", "a.txt", "late.txt", "src/deep/b.ts", "src/deep/c.ts"];
  expect(found).toEqual({ is: "harmless", index: { names, hasSubmodules: false } });
  run("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},sub`);
  expect(reasonOf(root)).toContain("submodules");
});
