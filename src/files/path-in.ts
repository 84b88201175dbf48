// A path as patterns see it: relative to a folder, with slashes.

import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/**
 * The path of a file, relative to the folder, with slashes; undefined for what is not in it, by its words or by the folder's
 * real path. Whether there is such a file is not asked.
 */
export async function pathIn(folder: string, path: string): Promise<string | undefined> {
  if (path.includes("\0")) return undefined;
  const real = await realpath(folder).catch(() => folder);
  return within(resolve(folder), path) ?? within(real, path);
}

/** By components and never by prefix: `/work-evil` is not in `/work`. */
function within(folder: string, path: string): string | undefined {
  const way = relative(folder, resolve(folder, path));
  const parts = way.split(sep);
  return way === "" || isAbsolute(way) || parts[0] === ".." ? undefined : parts.join("/");
}
