// Removes the folders of rivals whose sessions are gone, or never began: their process was killed before, or the sessions were pruned.

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { freeLock, giveBack, newHolder, waitForLock } from "../../lock/index.js";
import type { Store } from "../../memory/index.js";
import { rivalFolders } from "./rival-folders.js";
import { openRivals } from "./rivals-file.js";

/** Sweeps the folder of rivals. What belongs to `own`, to a stored session or to a process at work stays. */
export async function sweep(folder: string, store: Store, own: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const ids = new Set(names.map((name) => name.replace(/\.(?:jsonl|lock)$/, "")));
  ids.delete(own);
  if (ids.size === 0) return;
  const stored = (await store.list()).map(({ id }) => id);
  for (const id of ids) {
    if (stored.some((one) => one === id || one.startsWith(`${id}.`))) continue;
    const lock = join(folder, `${id}.lock`);
    const holder = newHolder();
    if ((await waitForLock(lock, holder, { longest: 0 })) !== undefined) continue;
    try {
      const { lines } = await openRivals(join(folder, `${id}.jsonl`));
      const base = lines.findLast((line) => line.type === "base");
      const place = join(folder, id);
      // Without that line there is no worktree yet.
      if (base?.type === "base") await clear(base.root, place);
      await rm(place, { recursive: true, force: true });
      await rm(join(folder, `${id}.jsonl`), { force: true });
    } finally {
      await giveBack(holder, () => freeLock(lock, holder));
    }
    await rm(lock, { recursive: true, force: true });
  }
}

/** The work folder may be gone, and its worktrees with it. */
async function clear(root: string, place: string): Promise<void> {
  try {
    await (await rivalFolders(root, place)).clear();
  } catch {
    // Its copies are removed by the caller.
  }
}
