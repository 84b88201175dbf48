// list_files: a sorted, bounded list of a folder and the folders below it.

import { mkdir, symlink, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listFiles } from "../../../src/tools/index.js";
import { call, makeFolder } from "../fixture.js";

async function makeFiles(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(join(root, path, ".."), { recursive: true });
    await write(join(root, path), "");
  }
}

test("files and folders come sorted, as paths from the root, and folders end with a slash", async () => {
  const root = await makeFolder();
  await makeFiles(root, ["src/b.js", "src/a.js", "src.md", "Z.md", "src/deep/c.js", ".env"]);
  await mkdir(join(root, "empty"));
  expect((await call(listFiles({ root }), {})).split("\n")).toEqual([
    ".env",
    "Z.md",
    "empty/",
    "src.md",
    "src/",
    "src/a.js",
    "src/b.js",
    "src/deep/",
    "src/deep/c.js",
  ]);
});

test("a folder below can be listed alone, with paths that can be read as they are", async () => {
  const root = await makeFolder();
  await makeFiles(root, ["src/a.js", "other.js"]);
  expect(await call(listFiles({ root }), { path: "src" })).toBe("src/a.js");
});

test(".git and node_modules are left out wherever they are, and the list says so", async () => {
  const root = await makeFolder();
  await makeFiles(root, [".git/config", "node_modules/zod/index.js", "app/node_modules/x.js", "a.js"]);
  const list = await call(listFiles({ root }), {});
  expect(list).toBe("a.js\napp/\n[Left out: .git/, node_modules/, app/node_modules/]");
});

test("a folder that is left out is listed where it is asked for", async () => {
  const root = await makeFolder();
  await makeFiles(root, ["node_modules/zod/index.js"]);
  expect(await call(listFiles({ root }), { path: "node_modules" })).toBe(
    "node_modules/zod/\nnode_modules/zod/index.js",
  );
});

test("links are named and not followed", async () => {
  const root = await makeFolder();
  await makeFiles(root, ["src/a.js"]);
  await symlink("/", join(root, "everything"));
  await symlink("..", join(root, "src/up"));
  await symlink("nowhere", join(root, "dangling"));
  expect((await call(listFiles({ root }), {})).split("\n")).toEqual([
    "dangling (symbolic link)",
    "everything (symbolic link)",
    "src/",
    "src/a.js",
    "src/up (symbolic link)",
  ]);
});

test("at most 500 entries are shown, the first of those nearest to the folder, and the list says that there is more", async () => {
  const root = await makeFolder();
  const many = Array.from({ length: 510 }, (_, at) => `a/b/${String(at).padStart(3, "0")}.txt`);
  await makeFiles(root, [...many, "z/last.txt"]);
  const lines = (await call(listFiles({ root }), {})).split("\n");
  expect(lines).toHaveLength(501);
  expect(lines).toContain("z/last.txt");
  expect(lines).toContain("a/b/495.txt");
  expect(lines).not.toContain("a/b/496.txt");
  expect(lines.at(-1)).toBe("[There is more than these 500 entries. List a folder below for what is in it.]");
});

test("exactly 500 entries are all there is", async () => {
  const root = await makeFolder();
  await makeFiles(
    root,
    Array.from({ length: 500 }, (_, at) => `${String(at)}.txt`),
  );
  expect((await call(listFiles({ root }), {})).split("\n")).toHaveLength(500);
});

test("a name with a newline stays one entry", async () => {
  const root = await makeFolder();
  await makeFiles(root, ["a\nb.txt"]);
  expect(await call(listFiles({ root }), {})).toBe('"a\\nb.txt"');
});

test("an empty folder, a file and a path where nothing is are told apart", async () => {
  const root = await makeFolder();
  expect(await call(listFiles({ root }), {})).toBe("[There is nothing to list.]");
  await makeFiles(root, ["a.txt"]);
  await expect(call(listFiles({ root }), { path: "a.txt" })).rejects.toThrow(
    "a.txt is a file, so there is nothing to list in it.",
  );
  await expect(call(listFiles({ root }), { path: "srcs" })).rejects.toThrow("There is nothing at srcs.");
});
