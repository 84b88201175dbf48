// One call under the rules: the files that it may read and write.

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { gate, type GateOptions } from "../../../src/permission/index.js";
import type { Reach } from "../../../src/index.js";

/** The decision of the gate about a call that reaches files, in a workspace with a folder `secret`. */
async function decided(name: string, reach: Reach, options: Omit<GateOptions, "root">): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "lastcall-decide-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, "secret"));
  for (const file of ["secret/key", "a.txt"]) await writeFile(join(root, file), "x");
  let why: string | undefined;
  const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };
  const approver = (_call: unknown, asking: { readonly why: string }): boolean => {
    why = asking.why;
    return false;
  };
  const call = { id: "1", name, effect: "write" as const, input: {}, reach };
  const { allowed, reason } = await gate({ root, approver, ...options }).decide(call, deciding);
  return allowed ? "yes" : why === undefined ? `no: ${reason ?? ""}` : `ask: ${why}`;
}

test("nobody writes a file that must not be read, and a file that must not be written may be read", async () => {
  const write = (path: string, deny: readonly string[]) => decided("write_file", { writes: [path] }, { deny });
  const read = (path: string, deny: readonly string[]) => decided("read_file", { reads: [path] }, { deny });
  expect(await write("secret/key", ["read(secret/**)"])).toContain("no: the rule read(secret/**) forbids");
  expect(await write("a.txt", ["read(secret/**)"])).toBe("yes");
  expect(await write("secret/key", ["write(secret/**)"])).toContain("no: the rule write(secret/**) forbids");
  expect(await read("secret/key", ["write(secret/**)"])).toBe("yes");
});

test("the most restrictive decision about one of the files of a call counts", async () => {
  const move = (from: string, to: string) =>
    decided("move_file", { reads: [from], writes: [from, to] }, { deny: ["read(secret/**)"] });
  expect(await move("a.txt", "b.txt")).toBe("yes");
  expect(await move(".env", "b.txt")).toContain("ask: ");
  expect(await move(".env", "secret/b")).toContain("no: ");
  expect(await move("secret/key", "b.txt")).toContain("no: ");
});
