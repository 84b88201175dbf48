// Replacing a file: the old one or the new one is there, whole, whatever happens in between.

import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pin } from "./pinned-folder.js";
import type { Replacing } from "./workspace-files.js";

/** How far it has come. */
export type ReplaceStep = "opened" | "written" | "synced";

/** How a file is replaced, and who is told how far it has come: a test that breaks in. */
export interface ReplacingOnDisk extends Replacing {
  readonly onStep?: (step: ReplaceStep) => void | Promise<void>;
}

/**
 * Writes beside the file, has it reach the disk, and renames: a crash or an abort leaves the old file whole, at most with a file
 * `.lastcall-<id>` beside it. Hard links keep the old content.
 */
export async function replaceFile(path: string, content: Uint8Array, how: ReplacingOnDisk): Promise<void> {
  const { mode, signal, onStep } = how;
  signal.throwIfAborted();
  const folder = await pin(dirname(path), { makes: true });
  const fresh = folder.at(`.lastcall-${randomUUID()}`);
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
    await folder.check();
    await rename(fresh, folder.at(basename(path)));
  } catch (thrown) {
    await rm(fresh, { force: true });
    throw signal.aborted ? signal.reason : thrown;
  } finally {
    await folder.release();
  }
}
