// move_file and delete_file: affect exactly the named entry, and nothing else.

import { execFileSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile as read,
  readlink,
  stat,
  symlink,
  writeFile as write,
} from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deleteFile, moveFile } from "../../../src/tools/index.js";
import { without } from "../../programs.js";
import { call, makeFolder } from "../fixture.js";

describe("move_file", () => {
  test("moves a file with its mode and makes the folders", async () => {
    const root = await makeFolder();
    await write(join(root, "a.sh"), "x");
    await chmod(join(root, "a.sh"), 0o751);
    expect(await call(moveFile({ root }), { from: "a.sh", to: "new/deep/b.sh" })).toBe("Moved a.sh to new/deep/b.sh");
    expect(await readdir(root)).toEqual(["new"]);
    expect((await stat(join(root, "new/deep/b.sh"))).mode & 0o777).toBe(0o751);
  });

  test("replaces a file only where it is told to", async () => {
    const root = await makeFolder();
    await write(join(root, "a"), "a");
    await write(join(root, "b"), "b");
    await expect(call(moveFile({ root }), { from: "a", to: "b" })).rejects.toThrow(
      "There is a file at b. Choose another path, or set overwrite to true to replace it.",
    );
    expect(await read(join(root, "b"), "utf8")).toBe("b");
    expect(await call(moveFile({ root }), { from: "a", to: "b", overwrite: true })).toBe("Moved a to b (replaced)");
    expect(await read(join(root, "b"), "utf8")).toBe("a");
  });

  test("moves a link itself, also one that leads outside or to nothing, and never through one", async () => {
    const root = await makeFolder();
    const outside = await makeFolder();
    await write(join(outside, "secret"), "secret");
    await symlink(join(outside, "secret"), join(root, "link"));
    await symlink(outside, join(root, "out"));
    await write(join(root, "a"), "a");
    await call(moveFile({ root }), { from: "link", to: "moved" });
    expect(await readlink(join(root, "moved"))).toBe(join(outside, "secret"));
    await expect(call(moveFile({ root }), { from: "out/secret", to: "b" })).rejects.toThrow("outside the workspace");
    await expect(call(moveFile({ root }), { from: "a", to: "out/b" })).rejects.toThrow("outside the workspace");
    await call(moveFile({ root }), { from: "a", to: "moved", overwrite: true });
    expect((await lstat(join(root, "moved"))).isFile()).toBe(true);
    expect(await read(join(outside, "secret"), "utf8")).toBe("secret");
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("moves no folder, nothing on itself, nothing onto a folder and not the workspace", async () => {
    const root = await makeFolder();
    await mkdir(join(root, "src"));
    await write(join(root, "a"), "a");
    const move = (from: string, to: string): Promise<string> => call(moveFile({ root }), { from, to, overwrite: true });
    await expect(move("src", "b")).rejects.toThrow("src is a folder. Only files can be moved");
    await expect(move("a", "./a")).rejects.toThrow("is where it shall be already");
    await expect(move("a", "src")).rejects.toThrow("src is a folder. Give the whole new path");
    await expect(move(".", "b")).rejects.toThrow("it is the workspace itself");
    await expect(move("none", "b")).rejects.toThrow("There is nothing at none.");
    await expect(move("a", "a/b")).rejects.toThrow("a part of it is a file");
  });

  test("two moves into one place at a time: one is made, the other refused", async () => {
    const root = await makeFolder();
    await write(join(root, "a"), "a");
    await write(join(root, "b"), "b");
    const moves = ["a", "b"].map((from) => call(moveFile({ root }), { from, to: "c" }));
    const made = await Promise.allSettled(moves);
    expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await readdir(root)).length).toBe(2);
  });
});

describe("delete_file", () => {
  test("deletes a file, an empty folder and a link itself", async () => {
    const root = await makeFolder();
    const outside = await makeFolder();
    await write(join(outside, "secret"), "secret");
    await write(join(root, "a"), "abc");
    await mkdir(join(root, "empty"));
    await symlink(join(outside, "secret"), join(root, "link"));
    await symlink(outside, join(root, "out"));
    await symlink("nowhere", join(root, "dangling"));
    expect(await call(deleteFile({ root }), { path: "a" })).toBe("Deleted a (3 bytes)");
    expect(await call(deleteFile({ root }), { path: "empty" })).toBe("Deleted empty (an empty folder)");
    expect(await call(deleteFile({ root }), { path: "link" })).toContain("a symbolic link, not where it leads");
    expect(await call(deleteFile({ root }), { path: "out/" })).toContain("a symbolic link");
    await call(deleteFile({ root }), { path: "dangling" });
    expect(await readdir(root)).toEqual([]);
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("never deletes what is in a folder, the workspace, or anything outside", async () => {
    const root = await makeFolder();
    await mkdir(join(root, "full"));
    await write(join(root, "full/a"), "");
    await symlink("/tmp", join(root, "out"));
    const remove = (path: string): Promise<string> => call(deleteFile({ root }), { path });
    await expect(remove("full")).rejects.toThrow("full is a folder that is not empty. Delete the files in it first");
    for (const path of [".", "full/..", root]) await expect(remove(path)).rejects.toThrow("it is the workspace itself");
    for (const path of ["..", "out/x", "/tmp", "~"])
      await expect(remove(path)).rejects.toThrow("outside the workspace");
    await expect(remove("fill")).rejects.toThrow("Names like it: full.");
    expect((await readdir(root)).sort()).toEqual(["full", "out"]);
  });
});

const noPipe = without("mkfifo");
test.skipIf(noPipe)(`a named pipe is neither moved nor deleted${noPipe}`, async () => {
  const root = await makeFolder();
  execFileSync("mkfifo", [join(root, "pipe")]);
  await expect(call(moveFile({ root }), { from: "pipe", to: "b" })).rejects.toThrow("pipe is a named pipe.");
  const deleted = call(deleteFile({ root }), { path: "pipe" });
  await expect(deleted).rejects.toThrow("Only files and empty folders can be deleted");
  expect(await readdir(root)).toEqual(["pipe"]);
});
