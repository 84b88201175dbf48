// Hidden files, and files that are only left out of lists.

import { mkdir, readdir, readFile as read, symlink, writeFile as write } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { LastcallError } from "../../../src/core/index.js";
import {
  deleteFile,
  editFile,
  listFiles,
  moveFile,
  readFile,
  searchFiles,
  workspaceTools,
  writeFile,
} from "../../../src/tools/index.js";
import { call, makeFolder } from "../fixture.js";
import { processorTime } from "../../processor-time.js";

async function makeFiles(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await makeFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await write(join(root, path), text);
  }
  return root;
}

/** Expects every file tool to refuse the path. */
async function expectRefused(root: string, path: string, words: string, hide: readonly string[] = []): Promise<void> {
  const options = { root, hide };
  await expect(call(readFile(options), { path })).rejects.toThrow(words);
  await expect(call(writeFile(options), { path, content: "owned" })).rejects.toThrow(words);
  await expect(call(editFile(options), { path, edits: [{ search: "a", replace: "b" }] })).rejects.toThrow(words);
  await expect(call(moveFile(options), { from: path, to: "elsewhere" })).rejects.toThrow(words);
  await expect(call(moveFile(options), { from: "plain.txt", to: path, overwrite: true })).rejects.toThrow(words);
  await expect(call(deleteFile(options), { path })).rejects.toThrow(words);
  await expect(call(listFiles(options), { path })).rejects.toThrow(words);
  await expect(call(searchFiles(options), { path, pattern: "x" })).rejects.toThrow(words);
}

const hidden = (path: string): string => `The path ${JSON.stringify(path)} is hidden in this workspace. Do without`;

test("lists leave out files that .gitignore matches, with nested rules and exceptions; reads and writes still work", async () => {
  const root = await makeFiles({
    ".gitignore": "dist/\n*.log\n!keep.log\n",
    "dist/a.js": "built",
    "a.log": "log",
    "keep.log": "",
    "src/.gitignore": "/gen.ts\n!b.log\n",
    "src/gen.ts": "",
    "src/b.log": "",
    "src/deep/gen.ts": "",
  });
  expect((await call(listFiles({ root }), {})).split("\n")).toEqual([
    ".gitignore",
    "keep.log",
    "src/",
    "src/.gitignore",
    "src/b.log",
    "src/deep/",
    "src/deep/gen.ts",
    "[Left out: a.log, dist/, src/gen.ts]",
  ]);
  expect(await call(listFiles({ root }), { path: "dist" })).toBe("dist/a.js");
  expect(await call(readFile({ root }), { path: "dist/a.js" })).toBe("1\tbuilt");
  await call(writeFile({ root }), { path: "dist/b.js", content: "x" });
  expect(await readdir(join(root, "dist"))).toEqual(["a.js", "b.js"]);
});

test("files that .lastcallignore matches are hidden from every tool and list, whether they exist or not", async () => {
  const root = await makeFiles({
    ".lastcallignore": "secrets/\n*.key\n!public.key\n",
    "secrets/a.txt": "secret",
    "plain.txt": "x",
    "a.key": "secret",
    "public.key": "shown",
    "src/.lastcallignore": "inner.txt\n",
    "src/inner.txt": "secret",
  });
  for (const path of [
    "secrets/a.txt",
    "secrets",
    "a.key",
    "none.key",
    "secrets/new.txt",
    "src/inner.txt",
    "src/../a.key",
  ])
    await expectRefused(root, path, hidden(path));
  expect(await call(readFile({ root }), { path: "public.key" })).toBe("1\tshown");
  expect(await call(listFiles({ root }), {})).toBe(".lastcallignore\nplain.txt\npublic.key\nsrc/\nsrc/.lastcallignore");
  await expect(call(readFile({ root }), { path: "b.key2" })).rejects.toThrow(/^(?!.*a\.key)/);
  expect(await read(join(root, "secrets/a.txt"), "utf8")).toBe("secret");
});

test("a hidden file is hidden behind every path that leads to it, and under its own name", async () => {
  const root = await makeFiles({ ".lastcallignore": "secrets/\nalias\n", "secrets/a.txt": "secret", "plain.txt": "x" });
  await symlink("secrets", join(root, "way"));
  await symlink("secrets/a.txt", join(root, "way.txt"));
  await symlink("plain.txt", join(root, "alias"));
  for (const path of ["way/a.txt", "alias", join(root, "secrets/a.txt")]) await expectRefused(root, path, hidden(path));
  await expect(call(readFile({ root }), { path: "way.txt" })).rejects.toThrow("is hidden");
  await expect(call(editFile({ root }), { path: "way.txt", edits: [{ search: "s", replace: "" }] })).rejects.toThrow(
    "is hidden",
  );
});

test("rules outside the workspace have no say, whichever way a path takes", async () => {
  const world = await makeFiles({
    ".lastcallignore": "a.txt\n",
    "work/a.txt": "inside",
    "work/src/.lastcallignore": "b.txt\n",
  });
  const root = join(world, "work");
  await symlink("..", join(root, "up"));
  await symlink("src", join(root, "way"));
  expect(await call(readFile({ root }), { path: "up/work/a.txt" })).toBe("1\tinside");
  await expect(call(writeFile({ root }), { path: "way/b.txt", content: "" })).rejects.toThrow("is hidden");
});

test("the file that hides can't be written, moved, deleted or put anywhere by a tool", async () => {
  const root = await makeFiles({ ".lastcallignore": "*.key\n", "a.key": "secret", "src/a.txt": "" });
  const words = "says what is hidden, so only the user may change it";
  await symlink(".lastcallignore", join(root, "way"));
  for (const path of [".lastcallignore", "src/.lastcallignore", "src/.LastCallIgnore"]) {
    await expect(call(writeFile({ root }), { path, content: "" })).rejects.toThrow(words);
    await expect(call(moveFile({ root }), { from: "src/a.txt", to: path })).rejects.toThrow(words);
    await expect(call(deleteFile({ root }), { path })).rejects.toThrow(words);
  }
  await expect(call(writeFile({ root }), { path: "way", content: "" })).rejects.toThrow(words);
  await expect(call(moveFile({ root }), { from: ".lastcallignore", to: "b" })).rejects.toThrow(words);
  expect(await call(readFile({ root }), { path: ".lastcallignore" })).toBe("1\t*.key\n");
});

test("nothing is shown if the list of hidden files can't be read", async () => {
  const root = await makeFiles({ "a.txt": "x", "rules/.lastcallignore": "a.txt" });
  await symlink("rules/.lastcallignore", join(root, ".lastcallignore"));
  await expect(call(readFile({ root }), { path: "a.txt" })).rejects.toThrow(
    ".lastcallignore can't be read (it is no plain file)",
  );
  await expect(call(listFiles({ root }), {})).rejects.toThrow("Ask the user to mend it");
});

test("nothing is shown if the list of hidden files is too long to be gone through, or in many files", async () => {
  const lines = (count: number): string => Array.from({ length: count }, (_, index) => `f${String(index)}`).join("\n");
  const root = await makeFiles({ "a.txt": "x", ".lastcallignore": lines(2001), "b/.lastcallignore": "x" });
  await expect(call(readFile({ root }), { path: "a.txt" })).rejects.toThrow("such files have more lines here");
  await write(join(root, ".lastcallignore"), `# a comment\n\n${lines(2000)}`);
  expect(await call(readFile({ root }), { path: "a.txt" })).toBe("1\tx");
  await expect(call(readFile({ root }), { path: "b/c.txt" })).rejects.toThrow("such files have more lines here");
  await write(join(root, ".lastcallignore"), "#".repeat(300_000));
  await expect(call(listFiles({ root }), {})).rejects.toThrow("it is too large");
});

test("a .gitignore of any length leaves lists quick", async () => {
  const long = Array.from({ length: 100_000 }, (_, index) => `f${String(index)}`).join("\n");
  const folders = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`d${String(index)}/.gitignore`, long.slice(0, 200_000)]),
  );
  const root = await makeFiles({ ".gitignore": long.slice(0, 200_000), ...folders });
  const spent = processorTime();
  await call(listFiles({ root }), {});
  expect(spent()).toBeLessThan(3000);
});

test("patterns of `hide` hide in the same way, and one that makes no sense is a fault when the tools are made", async () => {
  const root = await makeFiles({ "a.pem": "secret", "keys/b": "secret", "plain.txt": "x" });
  const hide = ["*.pem", "keys"];
  for (const path of ["a.pem", "keys/b", "keys"]) await expectRefused(root, path, hidden(path), hide);
  expect(await call(listFiles({ root, hide }), {})).toBe("plain.txt");
  expect(() => workspaceTools({ root, hide: ["../x"] })).toThrow(LastcallError);
});
