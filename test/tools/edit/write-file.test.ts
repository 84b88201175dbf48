// write_file: writes a whole file, or nothing.

import { chmod, link, mkdir, readdir, readFile as read, stat, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFile } from "../../../src/tools/index.js";
import { call, makeFolder } from "../fixture.js";

test("a new file is made with its folders, and the result says how many bytes", async () => {
  const root = await makeFolder();
  const said = await call(writeFile({ root }), { path: "src/deep/a.js", content: "grüße" });
  expect(said).toBe("Wrote 7 bytes to src/deep/a.js (new file)");
  expect(await read(join(root, "src/deep/a.js"), "utf8")).toBe("grüße");
});

test("a file that was there is replaced whole and keeps its mode", async () => {
  const root = await makeFolder();
  await write(join(root, "run.sh"), "a long old text");
  await chmod(join(root, "run.sh"), 0o751);
  expect(await call(writeFile({ root }), { path: "run.sh", content: "new" })).toBe(
    "Wrote 3 bytes to run.sh (replaced)",
  );
  expect(await read(join(root, "run.sh"), "utf8")).toBe("new");
  expect((await stat(join(root, "run.sh"))).mode & 0o777).toBe(0o751);
});

test("a reader sees the old file or the new one: the new one is another file, renamed over it", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "old");
  await link(join(root, "a.txt"), join(root, "held.txt"));
  await call(writeFile({ root }), { path: "a.txt", content: "new" });
  expect(await read(join(root, "held.txt"), "utf8")).toBe("old");
});

test("nothing but the file is left behind", async () => {
  const root = await makeFolder();
  await call(writeFile({ root }), { path: "a.txt", content: "x" });
  expect(await readdir(root)).toEqual(["a.txt"]);
});

test("a write that can't be finished leaves no trace in the folder", async () => {
  const root = await makeFolder();
  const name = "n".repeat(300);
  await expect(call(writeFile({ root }), { path: name, content: "x" })).rejects.toThrow("ENAMETOOLONG");
  expect(await readdir(root)).toEqual([]);
});

test("an abort leaves the old file", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "old");
  const reason = new Error("stop");
  await expect(call(writeFile({ root }), { path: "a.txt", content: "new" }, AbortSignal.abort(reason))).rejects.toBe(
    reason,
  );
  expect(await readdir(root)).toEqual(["a.txt"]);
  expect(await read(join(root, "a.txt"), "utf8")).toBe("old");
});

test("an abort while it writes leaves the old file and no trace of the new one", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "old");
  const abort = new AbortController();
  const reason = new Error("stop");
  const running = call(writeFile({ root }), { path: "a.txt", content: "x".repeat(50_000_000) }, abort.signal);
  running.catch(() => undefined);
  while ((await readdir(root)).length === 1);
  abort.abort(reason);
  await expect(running).rejects.toBe(reason);
  expect(await readdir(root)).toEqual(["a.txt"]);
  expect(await read(join(root, "a.txt"), "utf8")).toBe("old");
});

const isRoot = process.getuid?.() === 0 ? " (left out: root may write to any file)" : "";
test.skipIf(isRoot)(`a read-only file is left as it is${isRoot}`, async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "old");
  await chmod(join(root, "a.txt"), 0o444);
  await expect(call(writeFile({ root }), { path: "a.txt", content: "new" })).rejects.toThrow("a.txt is read-only.");
  expect(await read(join(root, "a.txt"), "utf8")).toBe("old");
});

test("many writes of one file at once leave one of them whole", async () => {
  const root = await makeFolder();
  await mkdir(join(root, "src"));
  const texts = Array.from({ length: 20 }, (_, at) => String(at % 10).repeat(50_000));
  await Promise.all(texts.map((content) => call(writeFile({ root }), { path: "src/a.txt", content })));
  expect(texts).toContain(await read(join(root, "src/a.txt"), "utf8"));
  expect(await readdir(join(root, "src"))).toEqual(["a.txt"]);
});
