// Folders whose entries survive a loss of power.

import { mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, unlessMissing } from "./store-fault.js";

/** Creates a folder and its missing parents, with access for this user only. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (thrown: unknown) => {
    // Node says ENOENT if a parent can't be created, whatever the reason. Creating that parent alone tells the reason.
    if (codeOf(thrown) === "ENOENT") await mkdir(await firstMissing(folder), { mode: 0o700 });
    throw thrown;
  });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await flushFolders(dirname(made));
}

/** The outermost folder on the way to this folder that does not exist. */
async function firstMissing(folder: string): Promise<string> {
  const parent = dirname(folder);
  return parent === folder || (await unlessMissing(stat(parent))) !== undefined ? folder : firstMissing(parent);
}

/** Flushes the entries of these folders to the disk. */
export async function flushFolders(...folders: readonly string[]): Promise<void> {
  // Windows has no way to flush a folder.
  if (process.platform === "win32") return;
  for (const folder of folders) {
    try {
      const handle = await open(folder, "r");
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (thrown) {
      // Without the right to list a folder, its entries can't be flushed, even if they may be written.
      if (codeOf(thrown) !== "EACCES") throw thrown;
    }
  }
}
