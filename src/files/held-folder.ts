// Keeps a folder open, so that work in it stays in that very folder, even if a link replaces it meanwhile.

import { closeSync, constants, openSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./locate.js";

/** A folder that is held open. */
export interface HeldFolder {
  /** The path of an entry of the folder, through the open handle; of the folder itself for `.`. */
  at(name: string): string;
  /** True if the folder is at its path, and no part of the path is a link. */
  isInPlace(): boolean;
  release(): void;
}

/** A handle that is good for paths alone (O_PATH, of Linux), so that the right to list the folder is not needed. */
export const forPaths = 0o10000000;

/**
 * Opens a folder by its real path. `openPath` reaches the same folder, through the handle of the folder above for example.
 *
 * On Linux, the folder is held open and its entries are reached through that handle (`/proc/self/fd`). A link that replaces any part of the
 * path therefore has no effect. On other systems, Node offers no such way. There the path is looked up again at every step, and a swap
 * within microseconds is not noticed.
 * @throws Error if a part of the path is a link by now, or no folder; an error of the system if nothing is there.
 */
export function holdFolder(path: string, openPath: string = path): HeldFolder {
  const descriptor = openFolder(openPath, path);
  const held = descriptor === undefined ? undefined : `/proc/self/fd/${String(descriptor)}`;
  const isHeld = held !== undefined && process.platform === "linux" && lookUp(() => readlinkSync(held)) !== undefined;
  const isInPlace = (): boolean => lookUp(() => (isHeld ? readlinkSync(held) : realpathSync(path))) === path;
  const release = (): void => {
    if (descriptor !== undefined) closeSync(descriptor);
  };
  if (!isInPlace()) {
    release();
    throw new MovedFolder(path);
  }
  const place = isHeld ? held : path;
  return { at: (name) => (name === "." ? `${place}/` : join(place, name)), isInPlace, release };
}

/** The error for a folder that is no longer at its path. */
export class MovedFolder extends Error {
  constructor(path: string, cause?: unknown) {
    super(`The folder ${path} is not what it was a moment ago. Nothing was done; look again.`, { cause });
  }
}

function openFolder(openPath: string, path: string): number | undefined {
  if (process.platform === "win32") return undefined;
  const access = process.platform === "linux" ? forPaths : constants.O_RDONLY;
  try {
    return openSync(openPath, access | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (thrown) {
    // Elsewhere than on Linux, a user may have the right to work in a folder and not the right to list it.
    if (codeOf(thrown) === "EACCES" && process.platform !== "linux") return undefined;
    if (codeOf(thrown) === "ELOOP" || codeOf(thrown) === "ENOTDIR") throw new MovedFolder(path, thrown);
    throw thrown;
  }
}

function lookUp(look: () => string): string | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
