// The bytes of a long log are those of its file, and the file is open only while they are read.

import { readdirSync, readlinkSync } from "node:fs";
import { appendFile, mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readJournal, readJournalBytes } from "../../../src/memory/store/read-journal.js";
import { temporaryFolder } from "../store-places.js";

const megabyte = 1024 * 1024;
const lines = Array.from({ length: 10 }, (_none, index) => `${String(index)} ${"é".repeat(megabyte / 2)}`);
const content = lines.map((line) => `${line}\n`).join("");

/** The descriptors of this process that are open on the file. Linux alone tells them. */
function openOn(file: string): number {
  if (process.platform !== "linux") return 0;
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === file;
    } catch {
      return false;
    }
  }).length;
}

test("the bytes of a long log are there up to each end, and to the last one in the end", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "journal.jsonl");
  await writeFile(file, content);
  const expected = Buffer.from(content);
  const log = await readJournalBytes(file);
  expect(openOn(file)).toBe(0);
  const ends: number[] = [];
  for await (const end of log!.ends) {
    ends.push(end);
    expect(Buffer.from(log!.memory, 0, end).equals(expected.subarray(0, end))).toBe(true);
  }
  expect(ends.length).toBeGreaterThan(1);
  expect(ends).toEqual(ends.toSorted((a, b) => a - b));
  expect(ends.at(-1)).toBe(expected.length);
  expect(openOn(file)).toBe(0);
  expect(await readJournal(file)).toEqual(lines);
});

test("a log that is short, empty or missing has no bytes to give", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "journal.jsonl");
  expect(await readJournalBytes(file)).toBeUndefined();
  for (const text of ["", "one\n", "x".repeat(8 * megabyte - 1)]) {
    await writeFile(file, text);
    expect(await readJournalBytes(file)).toBeUndefined();
  }
});

test("what is appended or cut while a log is read is not there, and the file is closed by whoever stops reading", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "journal.jsonl");
  await writeFile(file, content);
  const size = Buffer.byteLength(content);
  const longer = await readJournalBytes(file);
  await appendFile(file, "more\n");
  let last = 0;
  for await (const end of longer!.ends) last = end;
  expect(last).toBe(size);
  const shorter = await readJournalBytes(file);
  await truncate(file, 5 * megabyte);
  for await (const end of shorter!.ends) last = end;
  expect(last).toBe(5 * megabyte);
  await writeFile(file, content);
  for await (const _end of (await readJournalBytes(file))!.ends) {
    if (process.platform === "linux") expect(openOn(file)).toBe(1);
    break;
  }
  expect(openOn(file)).toBe(0);
});

test("a link and a folder are refused, and a file that is deleted meanwhile is a fault of the store", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "journal.jsonl");
  await writeFile(file, content);
  await symlink(file, join(folder.path, "link"));
  await expect(readJournalBytes(join(folder.path, "link"))).rejects.toThrow("is a link, which is not followed");
  await mkdir(join(folder.path, "folder"));
  await expect(readJournalBytes(join(folder.path, "folder"))).rejects.toThrow("is no file");
  const log = await readJournalBytes(file);
  await truncate(file, 0);
  for await (const end of log!.ends) expect(end).toBe(0);
});
