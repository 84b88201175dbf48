// Expands commands in a real folder. The comparison with real shells is in expand-command.slow.test.ts.

import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCommand } from "../../../src/permission/command/read-command.js";
import { expandCommand, type Expansion } from "../../../src/permission/decide/expand-command.js";
import { processorTime } from "../../processor-time.js";

let root = "";

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-expand-")));
  await mkdir(join(root, "src/deep"), { recursive: true });
  for (const name of ["a.txt", "b.txt", ".hidden", "src/a.ts", "src/b.ts", "src/.c.ts"])
    await writeFile(join(root, name), "");
  await mkdir(join(root, "odd"));
  for (const name of ["-x", "~", "é"]) await writeFile(join(root, "odd", name), "");
  await mkdir(join(root, "many"));
  for (let index = 0; index < 1001; index += 1) await writeFile(join(root, "many", String(index)), "");
  await symlink("src", join(root, "link"));
});

afterAll(() => rm(root, { recursive: true, force: true }));

function expand(text: string, folder = root): Expansion {
  const [command] = readCommand(text).commands;
  if (command === undefined) throw new Error("there is no command");
  return expandCommand(command, { root, folder });
}

it.each<[string, readonly string[]]>([
  ["ls *.txt", ["ls a.txt b.txt"]],
  ["ls *", ["ls a.txt b.txt link many odd src"]],
  ["ls .h*", ["ls .hidden"]],
  ["ls src/*.ts", ["ls src/a.ts src/b.ts"]],
  ["ls */a.ts", ["ls link/a.ts src/a.ts"]],
  ["ls s*/", ["ls src/"]],
  ["ls [!a].txt", ["ls b.txt"]],
  ["ls '*'.txt *.md", ["ls *.txt *.md"]],
  ["echo $? 'x'", ["echo \0 x"]],
  ["for f in *.txt; do wc $f; done", ["wc a.txt", "wc b.txt"]],
  ["for a in 1 2; do for b in x y; do echo $a$b; done; done", ["echo 1x", "echo 1y", "echo 2x", "echo 2y"]],
])("%j is %j", (text, commands) => {
  const expansion = expand(text);
  expect(expansion.is === "known" ? expansion.commands.map(({ words }) => words.join(" ")) : expansion).toEqual(
    commands,
  );
});

it("knows the variables that commands get", () => {
  const expansion = expand('cat "$HOME/x" "$PWD"', join(root, "src"));
  expect(expansion).toMatchObject({
    is: "known",
    commands: [{ words: ["cat", join(homedir(), "x"), join(root, "src")] }],
  });
});

it.each([
  ["cat $OLDPWD", "the value of $OLDPWD"],
  ["for f in 'a b'; do cat $f; done", "blanks or patterns"],
  ["for f in '*'; do cat $f; done", "blanks or patterns"],
  ["for f in ''; do cat $f; done", "blanks or patterns"],
  ["for f in '~'; do cat $f; done", "home folder"],
  ["for f in ~; do cat x$f; done", "home folder"],
  ["cat odd/*", "begins with a -"],
  ["cat .*", "shells differ"],
  ["cat odd/?", "shells differ"],
  ["cat ../*", "out of the workspace"],
  ["cat link/../*", "nobody can tell"],
  ["cat many/*", "too many files"],
  ["for a in *; do for b in many/*; do echo $a $b; done; done", "too many"],
])("of %j nobody can tell: %s", (text, words) => {
  const expansion = expand(text);
  expect(expansion.is === "unknown" ? expansion.reason : "nothing").toContain(words);
});

it("takes no long time for a pattern of many stars", async () => {
  await mkdir(join(root, "stars"), { recursive: true });
  await writeFile(join(root, "stars", "a".repeat(200)), "");
  const spent = processorTime();
  expand(`ls stars/${"*a".repeat(100)}b`);
  expect(spent()).toBeLessThan(500);
});
