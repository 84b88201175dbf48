// Files that anybody may have put there: devices and named pipes are refused at once, and no more than a bound is read.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readBounded, readWhole } from "../../../src/cli/display/bounded-file.js";
import { without } from "../../programs.js";

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "lastcall-bounded-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

test("a file is read up to the bound, and it is told whether there is more", async () => {
  const path = join(await folder(), "a");
  await writeFile(path, "abcdef");
  expect(await readBounded(path, 4)).toEqual({ bytes: Buffer.from("abcd"), isCut: true });
  expect(await readBounded(path, 6)).toEqual({ bytes: Buffer.from("abcdef"), isCut: false });
  expect(await readWhole(path)).toBe("abcdef");
});

test("a device without an end and a folder are refused", async () => {
  await expect(readWhole("/dev/zero")).rejects.toThrow("it is no plain file");
  await expect(readWhole(await folder())).rejects.toThrow();
});

test("settings of more than 1 MiB are refused", async () => {
  const path = join(await folder(), "a");
  await writeFile(path, "x".repeat(1024 * 1024 + 1));
  await expect(readWhole(path)).rejects.toThrow("longer than 1 MiB");
});

const noPipe = without("mkfifo");
test.skipIf(noPipe)(`a named pipe is refused and not waited for${noPipe}`, async () => {
  const path = join(await folder(), "pipe");
  execFileSync("mkfifo", [path]);
  await expect(readWhole(path)).rejects.toThrow("it is no plain file");
});
