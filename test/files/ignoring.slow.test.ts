// Ignoring agrees with git, also for ignore files in folders.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile as write } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ignoringNothing, type Ignoring } from "../../src/files/index.js";

const folders = ["", "a", "a/b", "x y", "[c]"];
const files = folders.flatMap((folder) => ["one.log", "two.txt", "b", "#x", "!y"].map((name) => join(folder, name)));
const meant = [
  "*.log",
  "one.*",
  "b",
  "b/",
  "/b",
  "a/b",
  "a/*",
  "a/**",
  "**/b",
  "**/two.txt",
  "*",
  "!*.log",
  "!b",
  "!one.log",
];
const rules = [
  ...meant,
  "!a/b/",
  "!/a",
  "x y",
  "x\\ y",
  "\\#x",
  "#x",
  "\\!y",
  "[ac]",
  "[c]",
  "\\[c\\]/",
  "two.txt ",
  "",
  "!a/b/two.txt",
];

test("ignores exactly the paths that git ignores, with any rules in any folder", async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-ignoring-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const file of files) {
    // `a/b` is a folder.
    if (file === "a/b") continue;
    await mkdir(dirname(join(root, file)), { recursive: true });
    await write(join(root, file), "");
  }
  execFileSync("git", ["init", "-q"], { cwd: root });
  const lines = fc.array(fc.constantFrom(...rules), { maxLength: 4 }).map((some) => some.join("\n"));
  const property = fc.asyncProperty(fc.tuple(lines, lines, lines, lines, lines), async (texts) => {
    let ignoring: Ignoring = ignoringNothing;
    for (const [at, folder] of folders.entries()) {
      await write(join(root, folder, ".gitignore"), texts[at] ?? "");
      ignoring = ignoring.and(folder, texts[at] ?? "");
    }
    const paths = files.filter((file) => file !== "a/b");
    const said = execFileSync("git", ["status", "--porcelain", "-z", "--ignored", "-uall"], { cwd: root }).toString();
    const seen = new Set(said.split("\0").flatMap((line) => (line.startsWith("?? ") ? [line.slice(3)] : [])));
    expect(paths.filter((path) => !ignoring.ignores(path)).sort()).toEqual(
      paths.filter((path) => seen.has(path)).sort(),
    );
  });
  await fc.assert(property, { numRuns: 200 });
}, 30_000);
