// Replaces a file atomically: the old or the new file is there, whole, whatever happens in between.

import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { inPinned, type Pinned } from "./pinned-folder.js";
import type { Replacing } from "./workspace-files.js";

/** A step of the replacement that is complete. */
export type ReplaceStep = "opened" | "written" | "synced";

/** Options of a replacement. `onStep` is called after each step, so that a test can interrupt there. */
export interface ReplacingOnDisk extends Replacing {
  /** The end of the new file's name before it is renamed. Default: a random id. */
  readonly id?: string;
  readonly onStep?: (step: ReplaceStep) => void | Promise<void>;
}

/**
 * Writes a new file beside the old file, syncs it to the disk, and renames it. A crash or an abort leaves the old file
 * whole, with at most a file `.lastcall-<id>` beside it (`unfinishedName`). Hard links keep the old content.
 */
export async function replaceFile(path: string, content: Uint8Array, how: ReplacingOnDisk): Promise<void> {
  how.signal.throwIfAborted();
  await inPinned(dirname(path), (folder) => replaceIn(folder, basename(path), content, how), { makes: true });
}

/** The name of a new file before it is renamed. */
export function unfinishedName(id: string): string {
  return `.lastcall-${id}`;
}

async function replaceIn(folder: Pinned, name: string, content: Uint8Array, how: ReplacingOnDisk): Promise<void> {
  const { mode, signal, onStep, id = randomUUID() } = how;
  const fresh = folder.at(unfinishedName(id));
  try {
    const file = await open(fresh, "wx");
    try {
      await onStep?.("opened");
      await file.writeFile(content, { signal });
      await onStep?.("written");
      if (mode !== undefined) await file.chmod(mode & 0o777);
      await file.sync();
    } finally {
      await file.close();
    }
    await onStep?.("synced");
    signal.throwIfAborted();
    folder.check();
    await rename(fresh, folder.at(name));
  } catch (thrown) {
    await rm(fresh, { force: true });
    throw signal.aborted ? signal.reason : thrown;
  }
}
