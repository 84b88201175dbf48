// The walk through folders of a workspace, which finds what is not as it was. It runs in this thread, or in threads of its own.

import type * as files from "node:fs";
import type { Stamp } from "./workspace-entry.js";

/** The workspace, as a walk needs it. */
export interface Place {
  readonly root: string;
  /** Folders that are no part of the workspace: real paths. */
  readonly leftOut: ReadonlySet<string>;
  /** The largest file whose content is kept, in bytes. */
  readonly largest: number;
}

/** A folder to walk through, from the root. Of a new folder nothing is known. */
export interface Folder {
  readonly path: string;
  readonly isNew: boolean;
}

/** The stamps of the entries of each folder by name, as the last walk saw them. */
export type Stamps = Map<string, Map<string, Stamp>>;

/** The findings of a walk. */
export interface Found {
  /** The folders in these folders. */
  readonly folders: Folder[];
  /** Paths with another stamp than they had. */
  readonly fresh: string[];
  /** Paths that are gone, without the paths below them. */
  readonly gone: string[];
  /** The number of entries. */
  entries: number;
  /** The bytes in fresh files whose content is kept. */
  bytes: number;
}

/**
 * Walks through the folders, and not into the folders in them. Folders that can't be read are empty. It uses nothing but its parameters:
 * its text is the code of threads.
 */
export function walkFolders(
  { readdirSync, lstatSync }: Pick<typeof files, "readdirSync" | "lstatSync">,
  { root, leftOut, largest }: Place,
  stamps: Stamps,
  folders: readonly Folder[],
): Found {
  const found: Found = { folders: [], fresh: [], gone: [], entries: 0, bytes: 0 };
  for (const { path: folder, isNew } of folders) {
    const below = folder === "" ? "" : `${folder}/`;
    const known = (isNew ? undefined : stamps.get(folder)) ?? new Map<string, Stamp>();
    stamps.set(folder, known);
    let names: readonly string[] = [];
    try {
      names = readdirSync(`${root}/${below}`);
    } catch {
      // It is gone, or nobody may read it.
    }
    const before = known.size;
    let met = 0;
    for (const name of names) {
      if (name === ".git") continue;
      const stats = lstatSync(`${root}/${below}${name}`, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      const { ino, size, ctimeMs } = stats;
      const isFolder = stats.isDirectory();
      if (isFolder && leftOut.has(`${root}/${below}${name}`)) continue;
      const stamp = known.get(name);
      found.entries += 1;
      if (isFolder) found.folders.push({ path: below + name, isNew: stamp === undefined });
      if (stamp !== undefined) met += 1;
      if (stamp?.ctimeMs === ctimeMs && stamp.ino === ino && stamp.size === size) continue;
      known.set(name, { ino, size, ctimeMs });
      found.fresh.push(below + name);
      if (stats.isFile() && size <= largest) found.bytes += size;
    }
    // Most walks find everything that was there.
    if (met === before) continue;
    const there = new Set(names);
    for (const name of known.keys()) {
      if (there.has(name) && lstatSync(`${root}/${below}${name}`, { throwIfNoEntry: false }) !== undefined) continue;
      known.delete(name);
      found.gone.push(below + name);
    }
  }
  return found;
}
