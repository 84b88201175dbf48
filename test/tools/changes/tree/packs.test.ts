// Packs keep the contents of files by their digests. The disk that is full is a stand-in: writes of this file's packs fail when told.

import fs, { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Packs } from "../../../../src/tools/changes/tree/packs.js";
import { newFolder } from "../world.js";

const disk = { writes: 0, room: Infinity };
const { writeSync } = fs;

/** Writes as much as there is room for. */
function limited(file: number, bytes: Uint8Array, from = 0): number {
  disk.writes += 1;
  if (disk.room <= 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  const written = writeSync(file, bytes, from, Math.min(bytes.length - from, disk.room));
  disk.room -= written;
  return written;
}

beforeEach(() => {
  Object.assign(disk, { writes: 0, room: Infinity });
  Object.assign(fs, { writeSync: limited });
  syncBuiltinESMExports();
});

afterEach(() => {
  Object.assign(fs, { writeSync });
  syncBuiltinESMExports();
});

function files(contents: readonly (string | Buffer)[]): readonly { path: string; bytes: Buffer }[] {
  const folder = newFolder();
  return contents.map((content, index) => {
    const [path, bytes] = [join(folder, String(index)), Buffer.from(content)];
    writeFileSync(path, bytes);
    return { path, bytes };
  });
}

test("contents of all sizes come back, also in another process's packs", () => {
  const folder = newFolder();
  const own = new Packs(folder);
  const large = Buffer.alloc(3 * 2 ** 20, "large ");
  const put = files(["one", "", large, "two", Buffer.alloc(2 ** 20 - 2, 1), "three", "one"]).map((file) => ({
    ...file,
    digest: own.putFile(file.path, file.bytes.length),
  }));
  for (const { digest, bytes } of put) expect(own.get(digest)?.equals(bytes)).toBe(true);
  const theirs = new Packs(folder);
  for (const { digest, bytes } of put) expect(theirs.get(digest)?.equals(bytes)).toBe(true);
});

test("what a content is read from may have shrunk since", () => {
  const packs = new Packs(newFolder());
  const [{ path } = { path: "" }, next] = files(["short", "next"]);
  const digest = packs.putFile(path, 1000);
  const after = packs.putFile(next!.path, 4);
  expect(packs.get(digest)?.toString()).toBe("short");
  expect(packs.get(after)?.toString()).toBe("next");
});

test("a thousand small files are two writes", () => {
  const packs = new Packs(newFolder());
  for (const { path, bytes } of files(Array.from({ length: 1000 }, (_none, index) => `file ${String(index)}`)))
    packs.putFile(path, bytes.length);
  disk.writes = 0;
  packs.write();
  expect(disk.writes).toBe(2);
});

test("a disk that becomes full keeps nothing of a write, and what is put once there is room comes back", () => {
  const packs = new Packs(newFolder());
  const [first, second, third] = files(["kept before", "does not fit", "comes later"]);
  const before = packs.putFile(first!.path, first!.bytes.length);
  packs.write();
  const lost = packs.putFile(second!.path, second!.bytes.length);
  disk.room = 5;
  expect(() => {
    packs.write();
  }).toThrow("no space left on device");
  expect(packs.get(lost)).toBeUndefined();
  disk.room = Infinity;
  const again = packs.putFile(second!.path, second!.bytes.length);
  const later = packs.putFile(third!.path, third!.bytes.length);
  expect([before, again, later].map((digest) => packs.get(digest)?.toString())).toEqual([
    "kept before",
    "does not fit",
    "comes later",
  ]);
  expect(again).toBe(lost);
});
