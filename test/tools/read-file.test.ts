// read_file: text in bounded parts, with words on how to read on.

import { mkdir, open, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFile } from "../../src/tools/index.js";
import { call, makeFolder } from "./fixture.js";

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${String(at + 1)}\n`).join("");

test("a small file is returned as it is, to the last byte", async () => {
  const root = await makeFolder();
  for (const text of ["one\r\ntwo", "\uFEFFone\n\n\n", "grüße 🎉\n"]) {
    await write(join(root, "a.txt"), text);
    expect(await call(readFile({ root }), { path: "a.txt" })).toBe(text);
  }
});

test("an empty file says that it is empty", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "");
  expect(await call(readFile({ root }), { path: "a.txt" })).toBe("[The file is empty.]");
});

test("lines can be read from anywhere, and the result says how to read on", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), numbered(10));
  const tool = readFile({ root });
  expect(await call(tool, { path: "a.txt", from_line: 3, lines: 2 })).toBe(
    "line 3\nline 4\n[Lines 3 to 4. There is more: read on with from_line 5.]",
  );
  expect(await call(tool, { path: "a.txt", from_line: 9 })).toBe("line 9\nline 10\n");
  expect(await call(tool, { path: "a.txt", from_line: 9, lines: 2 })).toBe("line 9\nline 10\n");
});

test("a start past the end fails with the number of the last line", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "one\ntwo");
  await write(join(root, "b.txt"), "one\ntwo\n");
  const tool = readFile({ root });
  await expect(call(tool, { path: "a.txt", from_line: 3 })).rejects.toThrow(
    "a.txt ends at line 2, so there is nothing from line 3 on.",
  );
  await expect(call(tool, { path: "b.txt", from_line: 3 })).rejects.toThrow("b.txt ends at line 2");
});

test("at most 2,000 lines come at a time, also where more were asked for", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), numbered(2500));
  const text = await call(readFile({ root }), { path: "a.txt", lines: 2400 });
  expect(text.split("\n").slice(-2)).toEqual([
    "line 2000",
    "[Lines 1 to 2000. There is more: read on with from_line 2001.]",
  ]);
});

test("at most 256 kB come at a time, cut between lines", async () => {
  const root = await makeFolder();
  const line = `${"ü".repeat(50_000)}\n`;
  await write(join(root, "a.txt"), line.repeat(5));
  expect(await call(readFile({ root }), { path: "a.txt" })).toBe(
    `${line.repeat(2)}[Lines 1 to 2. There is more: read on with from_line 3.]`,
  );
});

test("a line that is too long alone is cut between characters, and the line after it can be read", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), `x${"ü".repeat(300_000)}\nlast`);
  const text = await call(readFile({ root }), { path: "a.txt" });
  expect(text).toBe(
    `x${"ü".repeat(131_071)}\n[Line 1 is longer than 262144 bytes and was cut. Lines after it: from_line 2.]`,
  );
  expect(await call(readFile({ root }), { path: "a.txt", from_line: 2 })).toBe("last");
});

test("a file of 4 GB takes no longer than the part that is read", async () => {
  const root = await makeFolder();
  const file = await open(join(root, "huge.txt"), "w");
  await file.write(numbered(3000));
  await file.truncate(4 * 1024 ** 3);
  await file.close();
  const began = performance.now();
  expect(await call(readFile({ root }), { path: "huge.txt", lines: 1 })).toContain("line 1\n[Lines 1 to 1.");
  expect(performance.now() - began).toBeLessThan(1000);
});

test("a binary file is refused", async () => {
  const root = await makeFolder();
  await write(join(root, "a.png"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
  await expect(call(readFile({ root }), { path: "a.png" })).rejects.toThrow("a.png is binary, not text.");
});

test("text that is not UTF-8 is shown with a warning not to write it back", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), Buffer.from("gr\xfc\xdfe\n", "latin1"));
  expect(await call(readFile({ root }), { path: "a.txt" })).toMatch(/^gr\uFFFD\uFFFDe\n\[Not all of it is UTF-8\./);
});

test("a missing file fails with the names nearby that are like it", async () => {
  const root = await makeFolder();
  await mkdir(join(root, "src"));
  await write(join(root, "src/util.ts"), "");
  await write(join(root, "src/utils.js"), "");
  await write(join(root, "src/other.js"), "");
  const tool = readFile({ root });
  await expect(call(tool, { path: "src/util.js" })).rejects.toThrow(
    "There is nothing at src/util.js. Names like it: src/util.ts, src/utils.js.",
  );
  await expect(call(tool, { path: "scr/util.js" })).rejects.toThrow(
    "There is nothing at scr/util.js. Names like it: src.",
  );
  await expect(call(tool, { path: "README.md" })).rejects.toThrow("Call list_files to see what there is.");
});

test("line numbers that can't be are invalid arguments", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "one\n");
  for (const wrong of [{ from_line: 0 }, { from_line: 1.5 }, { lines: -1 }]) {
    await expect(call(readFile({ root }), { path: "a.txt", ...wrong })).rejects.toThrow(/from_line|lines/);
  }
});

test("an abort stops the reading of a long file", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), numbered(100_000));
  const reason = new Error("stop");
  await expect(call(readFile({ root }), { path: "a.txt", from_line: 90_000 }, AbortSignal.abort(reason))).rejects.toBe(
    reason,
  );
});
