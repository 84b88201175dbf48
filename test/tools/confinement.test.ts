// Confinement: no path leads a workspace tool out of its root.

import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile as read, rm, symlink, writeFile as write } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { LastcallError } from "../../src/core/index.js";
import { listFiles, readFile, runCommand, workspaceTools, writeFile } from "../../src/tools/index.js";
import { without } from "../programs.js";
import { call, makeFolder } from "./fixture.js";

/** A root, and a folder with a secret beside it. */
async function makeWorld(): Promise<{ readonly root: string; readonly outside: string }> {
  const world = await makeFolder();
  const [root, outside] = [join(world, "work"), join(world, "work-evil")];
  await mkdir(root);
  await mkdir(outside);
  await write(join(outside, "secret.txt"), "secret");
  return { root, outside };
}

/** Expects all three tools that take a path to refuse it. */
async function expectRefused(root: string, path: string, words: string | RegExp): Promise<void> {
  await expect(call(readFile({ root }), { path })).rejects.toThrow(words);
  await expect(call(writeFile({ root }), { path, content: "owned" })).rejects.toThrow(words);
  await expect(call(listFiles({ root }), { path })).rejects.toThrow(words);
}

describe("a path", () => {
  test("that climbs out with .. is refused, and the error says what, why and what to do", async () => {
    const { root } = await makeWorld();
    const advice = "Give a path inside it, relative to its root.";
    const words = `The path "../work-evil/secret.txt" can't be used: it leads outside the workspace, which is ${root}. ${advice}`;
    await expectRefused(root, "../work-evil/secret.txt", words);
    await expectRefused(root, "a/b/../../../work-evil/secret.txt", "outside the workspace");
    await expectRefused(root, "..", "outside the workspace");
  });

  test("that climbs and comes back is a path like any other", async () => {
    const { root } = await makeWorld();
    await write(join(root, "a.txt"), "inside");
    expect(await call(readFile({ root }), { path: "missing/../a.txt" })).toBe("1\tinside");
    expect(await call(readFile({ root }), { path: "../work/a.txt" })).toBe("1\tinside");
  });

  test("that is absolute works inside the root and is refused outside", async () => {
    const { root, outside } = await makeWorld();
    await write(join(root, "a.txt"), "inside");
    expect(await call(readFile({ root }), { path: join(root, "a.txt") })).toBe("1\tinside");
    await expectRefused(root, join(outside, "secret.txt"), "outside the workspace");
    await expectRefused(root, "/", "outside the workspace");
  });

  test("into a sibling whose name starts like the root's is refused", async () => {
    const { root, outside } = await makeWorld();
    expect(outside.startsWith(root)).toBe(true);
    await expectRefused(root, outside, "outside the workspace");
  });

  test("that starts with two dots but is a name is allowed", async () => {
    const { root } = await makeWorld();
    await call(writeFile({ root }), { path: "..name/a.txt", content: "x" });
    expect(await read(join(root, "..name/a.txt"), "utf8")).toBe("x");
  });

  test("through a link to a folder outside is refused, for files that exist and for new ones", async () => {
    const { root, outside } = await makeWorld();
    await symlink(outside, join(root, "link"));
    await expectRefused(root, "link/secret.txt", "outside the workspace");
    await expectRefused(root, "link/new/deep.txt", "outside the workspace");
    await expectRefused(root, "link", "outside the workspace");
    expect(await readdir(outside)).toEqual(["secret.txt"]);
  });

  test("that is a link to a file outside is refused", async () => {
    const { root, outside } = await makeWorld();
    await symlink(join(outside, "secret.txt"), join(root, "link.txt"));
    await expectRefused(root, "link.txt", "outside the workspace");
    expect(await read(join(outside, "secret.txt"), "utf8")).toBe("secret");
  });

  test("through a link to nothing is refused, so that a write can't make the target", async () => {
    const { root, outside } = await makeWorld();
    await symlink(join(outside, "new.txt"), join(root, "dangling.txt"));
    await symlink(join(outside, "new"), join(root, "dangling"));
    await symlink("dangling", join(root, "chain"));
    await expectRefused(root, "dangling.txt", "a symbolic link to nothing");
    await expectRefused(root, "dangling/a.txt", "a symbolic link to nothing");
    await expectRefused(root, "chain/a.txt", "a symbolic link to nothing");
    expect(await readdir(outside)).toEqual(["secret.txt"]);
  });

  test("through links that lead in a circle is refused", async () => {
    const { root } = await makeWorld();
    await symlink("b", join(root, "a"));
    await symlink("a", join(root, "b"));
    await expectRefused(root, "a/x.txt", "round in a circle");
  });

  test("through a link that stays inside is followed, and a write goes to its target", async () => {
    const { root } = await makeWorld();
    await mkdir(join(root, "real"));
    await write(join(root, "real/a.txt"), "old");
    await symlink("real/a.txt", join(root, "link.txt"));
    await call(writeFile({ root }), { path: "link.txt", content: "new" });
    expect(await read(join(root, "real/a.txt"), "utf8")).toBe("new");
    expect(await call(readFile({ root }), { path: "link.txt" })).toBe("1\tnew");
  });

  test("with a NUL character is refused", async () => {
    const { root } = await makeWorld();
    await expectRefused(root, "a.txt\0.png", "NUL character");
  });

  test("below a file is refused with words for it", async () => {
    const { root } = await makeWorld();
    await write(join(root, "a.txt"), "x");
    await expectRefused(root, "a.txt/b.txt", "a part of it is a file and no folder");
  });
});

describe("a root", () => {
  test("that does not exist, or is a file, is a configuration fault when the tool is made", async () => {
    const { outside } = await makeWorld();
    for (const root of [join(outside, "nowhere"), join(outside, "secret.txt"), ""]) {
      for (const make of [readFile, writeFile, listFiles, runCommand, workspaceTools]) {
        expect(() => make({ root })).toThrow(LastcallError);
        expect(() => make({ root })).toThrow(expect.objectContaining({ code: "configuration" }));
      }
    }
  });

  test("may be given through a link: paths by either name are inside", async () => {
    const { root, outside } = await makeWorld();
    const alias = join(outside, "alias");
    await symlink(root, alias);
    await write(join(root, "a.txt"), "inside");
    expect(await call(readFile({ root: alias }), { path: "a.txt" })).toBe("1\tinside");
    expect(await call(readFile({ root: alias }), { path: join(alias, "a.txt") })).toBe("1\tinside");
    expect(await call(readFile({ root: alias }), { path: join(root, "a.txt") })).toBe("1\tinside");
  });

  test("stays the folder it was, where a link in its place leads elsewhere later", async () => {
    const { root, outside } = await makeWorld();
    const tool = readFile({ root });
    await rm(root, { recursive: true });
    await symlink(outside, root);
    await expect(call(tool, { path: "secret.txt" })).rejects.toThrow("outside the workspace");
  });
});

describe("entries that are not files", () => {
  const noPipe = without("mkfifo");
  test.skipIf(noPipe)(`is neither read nor written, and a named pipe does not make anyone wait${noPipe}`, async () => {
    const { root } = await makeWorld();
    execFileSync("mkfifo", [join(root, "pipe")]);
    await expect(call(readFile({ root }), { path: "pipe" })).rejects.toThrow(
      "pipe is a named pipe. Only files can be read.",
    );
    await expect(call(writeFile({ root }), { path: "pipe", content: "x" })).rejects.toThrow("pipe is a named pipe");
    await expect(call(listFiles({ root }), { path: "pipe" })).rejects.toThrow("pipe is a named pipe");
    expect(await call(listFiles({ root }), {})).toBe("pipe");
  });

  test("is told apart from what is a folder", async () => {
    const { root } = await makeWorld();
    await mkdir(join(root, "src"));
    await expect(call(readFile({ root }), { path: "src" })).rejects.toThrow("src is a folder. Call list_files");
    await expect(call(writeFile({ root }), { path: "src", content: "x" })).rejects.toThrow("src is a folder");
    await expect(call(writeFile({ root }), { path: ".", content: "x" })).rejects.toThrow(". is a folder");
    expect(basename(root)).toBe("work");
  });
});
