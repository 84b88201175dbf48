// The disk: files are read to their end, and errors name the paths that people know.

import { existsSync } from "node:fs";
import { mkdir, open, symlink, writeFile as write, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { disk } from "../../../src/tools/index.js";
import { makeFolder } from "../fixture.js";

const { signal } = new AbortController();

describe("reading a file", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Makes each read of an open file return at most so many bytes, as a disk on the network may. Returns the lengths of the reads. */
  async function readingAtMost(most: number, path: string): Promise<number[]> {
    const file = await open(path);
    const prototype = Object.getPrototypeOf(file) as FileHandle;
    await file.close();
    const { read } = prototype as { read: (...given: readonly unknown[]) => Promise<{ bytesRead: number }> };
    const lengths: number[] = [];
    vi.spyOn(prototype, "read").mockImplementation(async function (this: FileHandle, ...given: readonly unknown[]) {
      const [into, from, length] = given as [Buffer, number, number];
      const done = await read.call(this, into, from, Math.min(length, most), null);
      lengths.push(done.bytesRead);
      return { ...done, buffer: into };
    });
    return lengths;
  }

  test.each([
    [10, 3],
    [200_000, 1000],
    [200_000, 64 * 1024 - 1],
  ])("of %i bytes was over after a read that got %i bytes", async (size, most) => {
    const path = join(await makeFolder(), "a");
    const content = Buffer.from(Array.from({ length: size }, (_none, index) => index % 251));
    await write(path, content);
    await readingAtMost(most, path);
    expect((await buffer(disk().read(path, signal))).equals(content)).toBe(true);
  });

  test("of few bytes takes one read", async () => {
    const path = join(await makeFolder(), "a");
    await write(path, "few");
    const lengths = await readingAtMost(Infinity, path);
    expect(String(await buffer(disk().read(path, signal)))).toBe("few");
    expect(lengths).toEqual([3]);
  });

  test("that is shorter than its size says ends at its end", async () => {
    const path = join(await makeFolder(), "a");
    await write(path, "abcdef");
    const lengths = await readingAtMost(2, path);
    const pieces: string[] = [];
    for await (const piece of disk().read(path, signal)) {
      pieces.push(String(piece));
      if (pieces.length === 1) await write(path, "abcd");
    }
    expect([pieces, lengths]).toEqual([
      ["ab", "cd"],
      [2, 2, 0],
    ]);
  });
});

describe("an error of the disk", () => {
  const long = "n".repeat(300);

  /** The message and the paths of the error that the work ends with. */
  async function errorOf(work: Promise<unknown>): Promise<readonly unknown[]> {
    const thrown = await work.then(
      () => new Error("It was done."),
      (reason: unknown) => reason,
    );
    const { message, code, path, dest } = thrown as Error & Record<"code" | "path" | "dest", unknown>;
    expect(message).not.toContain("/proc/");
    return dest === undefined ? [code, path, message] : [code, path, dest, message];
  }

  test("in a move named one folder for both", async () => {
    const root = await makeFolder();
    await mkdir(join(root, "from"));
    await mkdir(join(root, "to"));
    await write(join(root, "from/a"), "a");
    const [from, to] = [join(root, "from/a"), join(root, "to", long)];
    expect(await errorOf(disk().move(from, to))).toEqual([
      "ENAMETOOLONG",
      from,
      to,
      `ENAMETOOLONG: name too long, rename '${from}' -> '${to}'`,
    ]);
  });

  // Nobody can make a folder there, not even root.
  const noSystem = existsSync("/sys/kernel") ? "" : " (left out: there is no /sys/kernel)";
  test.skipIf(noSystem)(`in a folder that is made on the way named a path that nobody meant${noSystem}`, async () => {
    const root = await makeFolder();
    await write(join(root, "a"), "a");
    const missing = "/sys/kernel/lastcall-none";
    const path = join(missing, "x/y/z");
    const expected = [expect.any(String), missing, expect.stringContaining(`, mkdir '${missing}'`)];
    expect(await errorOf(disk().replace(path, Buffer.from(""), { signal }))).toEqual(expected);
    expect(await errorOf(disk().move(join(root, "a"), path))).toEqual(expected);
  });

  test("in the name of a file that is made named its folder twice", async () => {
    const path = join(await makeFolder(), "x", long);
    const [code, , dest] = await errorOf(disk().replace(path, Buffer.from(""), { signal }));
    expect([code, dest]).toEqual(["ENAMETOOLONG", path]);
  });

  test("names the file that could not be written, removed or moved", async () => {
    const root = await makeFolder();
    await mkdir(join(root, "full/of"), { recursive: true });
    const full = join(root, "full");
    expect((await errorOf(disk().remove(full))).slice(0, 2)).toEqual(["ENOTEMPTY", full]);
    expect((await errorOf(disk().remove(join(root, "none")))).slice(0, 2)).toEqual(["ENOENT", join(root, "none")]);
    const [code, , dest] = await errorOf(disk().replace(full, Buffer.from(""), { signal }));
    expect([code, dest]).toEqual(["EISDIR", full]);
    expect((await errorOf(disk().move(join(root, "none"), full))).slice(0, 3)).toEqual([
      "ENOENT",
      join(root, "none"),
      full,
    ]);
  });

  test("names the folder that could not be listed, and the part that is no folder", async () => {
    const root = await makeFolder();
    await write(join(root, "a"), "a");
    await expect(disk().list(join(root, "a"))).rejects.toThrow(`The folder ${join(root, "a")} is not what it was`);
    await symlink(root, join(root, "link"));
    await expect(disk().remove(join(root, "link/a"))).rejects.toThrow(`The folder ${join(root, "link")} is not what`);
    expect((await errorOf(disk().list(join(root, "none")))).slice(0, 2)).toEqual(["ENOENT", join(root, "none")]);
  });
});
