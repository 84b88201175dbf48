// A dry run: every change seems to be made, and nothing on the disk changes.

import { mkdir, readdir, readFile as read, symlink, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  deleteFile,
  dryRun,
  editFile,
  listFiles,
  moveFile,
  readFile,
  writeFile,
  type WorkspaceFiles,
} from "../../../src/tools/index.js";
import { call, makeFolder } from "../fixture.js";

/** The names, links and contents of a folder. */
async function everything(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(folder.length), entry.isFile() ? await read(path, "utf8") : "no file"] as const;
  });
  return Object.fromEntries((await Promise.all(files)).sort());
}

test("writes, edits, moves and deletions are seen by what comes after, and the disk stays", async () => {
  const root = await makeFolder();
  await mkdir(join(root, "src"));
  await write(join(root, "src/a.txt"), "one\ntwo\n");
  await write(join(root, "b.txt"), "b\n");
  const before = await everything(root);
  const files = dryRun();
  const options = { root, files };
  await call(editFile(options), { path: "src/a.txt", edits: [{ search: "two", replace: "2" }] });
  await call(writeFile(options), { path: "new/deep/c.txt", content: "c" });
  await call(moveFile(options), { from: "src/a.txt", to: "d.txt" });
  await call(deleteFile(options), { path: "src" });
  await call(deleteFile(options), { path: "b.txt" });
  expect((await call(listFiles(options), {})).split("\n")).toEqual(["d.txt", "new/", "new/deep/", "new/deep/c.txt"]);
  expect(await call(readFile(options), { path: "d.txt" })).toBe("1\tone\n2\t2\n");
  await expect(call(readFile(options), { path: "b.txt" })).rejects.toThrow(
    "There is nothing at b.txt. Names like it: d.txt.",
  );
  await expect(call(readFile(options), { path: "new/deep/c.txt/x" })).rejects.toThrow("a part of it is a file");
  expect(
    files.changes().map(({ kind, path, to }) => [kind, path.slice(root.length + 1), to?.slice(root.length + 1)]),
  ).toEqual([
    ["write", "src/a.txt", undefined],
    ["write", "new/deep/c.txt", undefined],
    ["move", "src/a.txt", "d.txt"],
    ["delete", "src", undefined],
    ["delete", "b.txt", undefined],
  ]);
  expect(files.changes()[0]?.diff).toContain("@@ -1,2 +1,2 @@\n one\n-two\n+2");
  expect(files.changes()[1]?.diff).toContain("--- /dev/null");
  expect(files.changes()[4]?.diff).toContain("+++ /dev/null\n@@ -1 +0,0 @@\n-b");
  expect(await everything(root)).toEqual(before);
});

test("a folder that takes the place of a link shows nothing of where the link led", async () => {
  const root = await makeFolder();
  const outside = await makeFolder();
  await write(join(outside, "secret"), "secret");
  await symlink(outside, join(root, "out"));
  const options = { root, files: dryRun() };
  await call(deleteFile(options), { path: "out" });
  await call(writeFile(options), { path: "out/a", content: "a" });
  expect(await call(listFiles(options), { path: "out" })).toBe("out/a");
  await expect(call(readFile(options), { path: "out/secret" })).rejects.toThrow("There is nothing at out/secret.");
  expect(await readdir(outside)).toEqual(["secret"]);
  expect(await readdir(root)).toEqual(["out"]);
});

test("links that were moved lead where they did, and outside is refused", async () => {
  const root = await makeFolder();
  await mkdir(join(root, "src"));
  await write(join(root, "src/a"), "a");
  await symlink("src", join(root, "way"));
  await symlink("..", join(root, "up"));
  const options = { root, files: dryRun() };
  expect(await call(readFile(options), { path: "way/a" })).toBe("1\ta");
  await call(moveFile(options), { from: "way", to: "path" });
  expect(await call(readFile(options), { path: "path/a" })).toBe("1\ta");
  await call(moveFile(options), { from: "up", to: "src/up" });
  expect(await call(readFile(options), { path: "src/up/src/a" })).toBe("1\ta");
  await expect(call(readFile(options), { path: "src/up/../x" })).rejects.toThrow("There is nothing");
  await expect(call(readFile(options), { path: "up/x" })).rejects.toThrow("There is nothing");
});

test("after any operations in any order, a dry run shows the same as the disk would", async () => {
  const paths = ["a", "b", "d/a", "d/e/a", "d", "l", "l/a"];
  const path = fc.constantFrom(...paths);
  const step = fc.oneof(
    fc.tuple(fc.constant("write" as const), path, path),
    fc.tuple(fc.constant("move" as const), path, path),
    fc.tuple(fc.constant("delete" as const), path, path),
  );
  const run = async (
    root: string,
    files: WorkspaceFiles | undefined,
    [what, at, to]: readonly [string, string, string],
  ): Promise<string> => {
    const options = { root, ...(files && { files }) };
    const made =
      what === "write"
        ? call(writeFile(options), { path: at, content: `${at}${to}` })
        : what === "move"
          ? call(moveFile(options), { from: at, to, overwrite: true })
          : call(deleteFile(options), { path: at });
    return made.catch((thrown: unknown) => String(thrown).replaceAll(root, ""));
  };
  const property = fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
    const [real, dry] = [await makeFolder(), await makeFolder()];
    for (const root of [real, dry]) {
      await mkdir(join(root, "d"));
      await write(join(root, "a"), "a");
      await write(join(root, "d/a"), "da");
      await symlink("d", join(root, "l"));
    }
    const before = await everything(dry);
    const files = dryRun();
    for (const one of steps) expect(await run(dry, files, one)).toBe(await run(real, undefined, one));
    expect(await call(listFiles({ root: dry, files }), {})).toBe(await call(listFiles({ root: real }), {}));
    for (const at of paths) {
      const shown = async (root: string, more: { files?: WorkspaceFiles }): Promise<string> =>
        call(readFile({ root, ...more }), { path: at }).catch((thrown: unknown) => String(thrown));
      expect(await shown(dry, { files })).toBe(await shown(real, {}));
    }
    expect(await everything(dry)).toEqual(before);
  });
  await fc.assert(property, { numRuns: 30 });
}, 30_000);
