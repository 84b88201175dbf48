// Keeps a folder open, so that work in it stays in that very folder, even if a link replaces it meanwhile.

import { constants } from "node:fs";
import { mkdir, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../../files/index.js";

/** A folder that is held open. */
export interface Pinned {
  /** The path of an entry of the folder, through the open handle. */
  at(name: string): string;
  /** @throws Error if the folder is no longer at its path. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Opens a folder by its real path. With `makes`, the folder and its parents are made if they are missing.
 *
 * On Linux, the folder is held open and its entries are reached through that handle (`/proc/self/fd`). A link that
 * replaces any part of the path therefore has no effect. One race remains: the folder may be moved between `check` and
 * the next step, which then still happens in the moved folder. On other systems, Node offers no such way. There the
 * path is checked right before use, and a swap within microseconds after the check is not noticed.
 * @throws Error if a part of the path is a link by now, or no folder.
 */
export async function pin(path: string, { makes = false }: { readonly makes?: boolean } = {}): Promise<Pinned> {
  try {
    return await hold(path, path);
  } catch (thrown) {
    if (!makes || codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
  }
  const above = await pin(dirname(path), { makes });
  try {
    await above.check();
    await mkdir(above.at(basename(path))).catch(unlessThere);
    return await hold(above.at(basename(path)), path);
  } finally {
    await above.release();
  }
}

async function hold(openPath: string, path: string): Promise<Pinned> {
  const handle = await openFolder(openPath, path);
  const held = handle && `/proc/self/fd/${String(handle.fd)}`;
  const isHeld = held !== undefined && (await readlink(held).catch(() => undefined)) !== undefined;
  const check = async (): Promise<void> => {
    const actualPath = await (isHeld ? readlink(held) : realpath(path)).catch(() => undefined);
    if (actualPath !== path)
      throw new Error(`The folder ${path} is not what it was a moment ago. Nothing was done; look again.`);
  };
  const release = async (): Promise<void> => {
    await handle?.close();
  };
  try {
    await check();
  } catch (thrown) {
    await release();
    throw thrown;
  }
  return { at: (name) => join(isHeld ? held : path, name), check, release };
}

async function openFolder(openPath: string, path: string): Promise<FileHandle | undefined> {
  if (process.platform === "win32") {
    await realpath(path);
    return undefined;
  }
  try {
    return await open(openPath, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (thrown) {
    // A user may have the right to work in a folder and not the right to list it.
    if (codeOf(thrown) === "EACCES") return undefined;
    if (codeOf(thrown) === "ELOOP" || codeOf(thrown) === "ENOTDIR")
      throw new Error(`The folder ${path} is not what it was a moment ago. Nothing was done; look again.`, {
        cause: thrown,
      });
    throw thrown;
  }
}

function unlessThere(thrown: unknown): void {
  if (codeOf(thrown) !== "EEXIST") throw thrown;
}

/** True if the open file is the one at that real path, reached without links, as far as the system can tell. */
export async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const held = await readlink(`/proc/self/fd/${String(file.fd)}`).catch(() => undefined);
  return (held ?? (await realpath(path))) === path;
}
