// Pins a folder for a step of a tool: it is held open, and made if it is missing.

import { mkdir, readlink, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf, holdFolder, moved, type HeldFolder } from "../../files/index.js";

/** A folder that is held open. */
export interface Pinned {
  /** The path of an entry of the folder, through the open handle. */
  at(name: string): string;
  /** @throws Error if the folder is no longer at its path. */
  check(): void;
  release(): void;
}

/**
 * Opens a folder by its real path, as `holdFolder` does. With `makes`, the folder and its parents are made if they are missing. One race
 * remains: the folder may be moved between `check` and the next step, which then still happens in the moved folder.
 * @throws Error if a part of the path is a link by now, or no folder.
 */
export async function pin(path: string, { makes = false }: { readonly makes?: boolean } = {}): Promise<Pinned> {
  try {
    return pinned(path, holdFolder(path));
  } catch (thrown) {
    if (!makes || codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
  }
  const above = await pin(dirname(path), { makes });
  try {
    above.check();
    await mkdir(above.at(basename(path))).catch(unlessThere);
    return pinned(path, holdFolder(path, above.at(basename(path))));
  } finally {
    above.release();
  }
}

function pinned(path: string, folder: HeldFolder): Pinned {
  const check = (): void => {
    if (!folder.isInPlace()) throw moved(path);
  };
  return { at: folder.at, check, release: folder.release };
}

function unlessThere(thrown: unknown): void {
  if (codeOf(thrown) !== "EEXIST") throw thrown;
}

/** True if the open file is the file at that real path, reached without links, as far as the system can tell. */
export async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const held = await readlink(`/proc/self/fd/${String(file.fd)}`).catch(() => undefined);
  return (held ?? (await realpath(path))) === path;
}
