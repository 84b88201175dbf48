// Shared by the tests of checks: a real folder with files, and the context of a check.

import { access, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { CheckContext, Json } from "../../src/core/index.js";

/** A fresh folder with these files, as its real path; removed after the test. */
export async function folderOf(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-checks-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) await put(folder, path, text);
  return folder;
}

/** Writes a file and makes its missing folders. */
export async function put(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** True if something exists at the path. */
export async function exists(folder: string, path: string): Promise<boolean> {
  return access(join(folder, path)).then(
    () => true,
    () => false,
  );
}

/** The context of a check at a claim, after a `begin` that returned `begun`. */
export function asked(begun?: Json, signal: AbortSignal = new AbortController().signal): CheckContext {
  return { key: "s/1/check:1", signal, when: "claim", records: [], ...(begun !== undefined && { begun }) };
}
