// read_file: text in bounded parts, with words on how to read on.

import { mkdir, open, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFile, type ReadFile } from "../../../src/tools/index.js";
import { call as callTool, makeFolder } from "../fixture.js";
import { processorTime } from "../../processor-time.js";

/** The result of the tool, with the size of the file replaced by a word. */
async function call(...given: Parameters<typeof callTool<ReadFile, string>>): Promise<string> {
  return (await callTool(...given)).replace(/(of a file of|the file has) \d+/, "$1 SIZE");
}

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${String(at + 1)}\n`).join("");

test("each line comes behind its number and a tab, to the last byte", async () => {
  const root = await makeFolder();
  const shown = {
    "one\ntwo": "1\tone\n2\ttwo",
    "\uFEFFone\n\n\n": "1\t\uFEFFone\n2\t\n3\t\n",
    "grüße 🎉\n": "1\tgrüße 🎉\n",
    "a\rb\n": "1\ta\rb\n",
  };
  for (const [text, expected] of Object.entries(shown)) {
    await write(join(root, "a.txt"), text);
    expect(await call(readFile({ root }), { path: "a.txt" })).toBe(expected);
  }
});

test("the numbers are as wide as the last one's", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), numbered(11));
  expect(await call(readFile({ root }), { path: "a.txt", from_line: 9, lines: 2 })).toBe(
    " 9\tline 9\n10\tline 10\n[Lines 9 to 10 of a file of SIZE bytes. There is more: read on with from_line 11.]",
  );
});

test("CRLF is told and not shown", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "one\r\ntwo\r\n");
  await write(join(root, "b.txt"), "one\r\ntwo\n");
  const tool = readFile({ root });
  expect(await call(tool, { path: "a.txt" })).toBe(
    "1\tone\n2\ttwo\n[The lines end with CRLF. edit_file keeps that by itself.]",
  );
  expect(await call(tool, { path: "b.txt" })).toMatch(/\[Some of these lines end with CRLF, some with LF\.\]$/);
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
    "3\tline 3\n4\tline 4\n[Lines 3 to 4 of a file of SIZE bytes. There is more: read on with from_line 5.]",
  );
  expect(await call(tool, { path: "a.txt", from_line: 9 })).toBe(" 9\tline 9\n10\tline 10\n");
  expect(await call(tool, { path: "a.txt", from_line: 9, lines: 2 })).toBe(" 9\tline 9\n10\tline 10\n");
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
    "2000\tline 2000",
    "[Lines 1 to 2000 of a file of SIZE bytes. There is more: read on with from_line 2001.]",
  ]);
});

test("at most 256 kB come at a time, cut between lines", async () => {
  const root = await makeFolder();
  const line = `${"ü".repeat(50_000)}\n`;
  await write(join(root, "a.txt"), line.repeat(5));
  expect(await call(readFile({ root }), { path: "a.txt" })).toBe(
    `1\t${line}2\t${line}[Lines 1 to 2 of a file of SIZE bytes. There is more: read on with from_line 3.]`,
  );
});

test("a line that is too long alone is cut between characters, and the line after it can be read", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), `x${"ü".repeat(300_000)}\nlast`);
  const text = await call(readFile({ root }), { path: "a.txt" });
  expect(text).toBe(
    `1\tx${"ü".repeat(131_071)}\n[Line 1 is longer than 262144 bytes and was cut; the file has SIZE. Lines after it: from_line 2.]`,
  );
  expect(await call(readFile({ root }), { path: "a.txt", from_line: 2 })).toBe("2\tlast");
});

test("a file of 4 GB takes no longer than the part that is read", async () => {
  const root = await makeFolder();
  const file = await open(join(root, "huge.txt"), "w");
  await file.write(numbered(3000));
  await file.truncate(4 * 1024 ** 3);
  await file.close();
  const spent = processorTime();
  expect(await call(readFile({ root }), { path: "huge.txt", lines: 1 })).toContain(
    "1\tline 1\n[Lines 1 to 1 of a file of SIZE bytes.",
  );
  expect(spent()).toBeLessThan(1000);
});

test("a binary file is refused", async () => {
  const root = await makeFolder();
  await write(join(root, "a.png"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
  await expect(call(readFile({ root }), { path: "a.png" })).rejects.toThrow("a.png is binary, not text.");
});

test("of an image, the kind, the dimensions and the bytes are said", async () => {
  const root = await makeFolder();
  const be = (...numbers: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(4 * numbers.length);
    numbers.forEach((number, at) => bytes.writeUInt32BE(number, 4 * at));
    return bytes;
  };
  const images: Readonly<Record<string, Buffer>> = {
    "a.png": Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), be(13), Buffer.from("IHDR"), be(640, 480)]),
    "a.gif": Buffer.from([...Buffer.from("GIF89a"), 0x80, 2, 0xe0, 1, 0, 0]),
    "a.jpg": Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 1, 0xe0, 2, 0x80, 3]),
    "a.webp": Buffer.concat([
      Buffer.from("RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0", "latin1"),
      Buffer.from([0x7f, 2, 0, 0xdf, 1, 0]),
    ]),
  };
  for (const [name, bytes] of Object.entries(images)) {
    await write(join(root, name), bytes);
    expect(await call(readFile({ root }), { path: name })).toMatch(
      new RegExp(
        `^\\[${name} is no text but image/(png|gif|jpeg|webp), 640 x 480 pixels, ${String(bytes.length)} bytes\\.`,
      ),
    );
  }
  await write(join(root, "cut.jpg"), images["a.jpg"]!.subarray(0, 5));
  expect(await call(readFile({ root }), { path: "cut.jpg" })).toContain("is no text but image/jpeg, 5 bytes.");
});

test("text that is not UTF-8 is shown with a warning not to write it back", async () => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), Buffer.from("gr\xfc\xdfe\n", "latin1"));
  expect(await call(readFile({ root }), { path: "a.txt" })).toMatch(/^1\tgr\uFFFD\uFFFDe\n\[Not all of it is UTF-8\./);
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
