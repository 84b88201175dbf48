// Pins a folder for a step of a tool: it is held open, and made if it is missing. Errors name its real path.

import { mkdir, readlink, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { codeOf, holdFolder, MovedFolder, type HeldFolder } from "../../files/index.js";

/** A folder that is held open. */
export interface Pinned {
  /** The path of an entry of the folder, through the open handle. */
  at(name: string): string;
  /** @throws Error if the folder is no longer at its path. */
  check(): void;
}

/**
 * Works in a folder that it opens by its real path, as `holdFolder` does. With `makes`, the folder and its parents are made if they are
 * missing. One race remains: the folder may be moved between `check` and the next step, which then still happens in the moved folder. An
 * error of the system names the real paths.
 * @throws Error if a part of the path is a link by now, or no folder.
 */
export async function inPinned<Made>(
  path: string,
  work: (folder: Pinned) => Promise<Made>,
  { makes = false }: { readonly makes?: boolean } = {},
): Promise<Made> {
  const folder = await hold(path, makes);
  const check = (): void => {
    if (!folder.isInPlace()) throw new MovedFolder(path);
  };
  try {
    return await work({ at: folder.at, check });
  } catch (thrown) {
    throw named(thrown, folder.at("."), join(path, sep));
  } finally {
    folder.release();
  }
}

/** Opens the folder, and makes it if it is missing. */
async function hold(path: string, makes: boolean): Promise<HeldFolder> {
  try {
    return holdFolder(path);
  } catch (thrown) {
    if (!makes || codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
  }
  const make = async (above: Pinned): Promise<HeldFolder> => {
    const heldPath = above.at(basename(path));
    above.check();
    await mkdir(heldPath).catch(unlessThere);
    return holdFolder(path, heldPath);
  };
  return inPinned(dirname(path), make, { makes });
}

/** The error, with the real path of a folder in the place of its handle. Errors keep their code. */
function named(thrown: unknown, handle: string, real: string): unknown {
  if (!(thrown instanceof Error) || codeOf(thrown) === undefined) return thrown;
  const fields = thrown as Error & Record<"message" | "path" | "dest", unknown>;
  for (const field of ["message", "path", "dest"] as const) {
    const text = fields[field];
    if (typeof text === "string") fields[field] = text.replaceAll(handle, () => real);
  }
  return thrown;
}

function unlessThere(thrown: unknown): void {
  if (codeOf(thrown) !== "EEXIST") throw thrown;
}

/** True if the open file is the file at that real path, reached without links, as far as the system can tell. */
export async function isAt(file: FileHandle, path: string): Promise<boolean> {
  const held = await readlink(`/proc/self/fd/${String(file.fd)}`).catch(() => undefined);
  return (held ?? (await realpath(path))) === path;
}
