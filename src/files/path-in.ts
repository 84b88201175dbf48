// Makes a path relative to a folder, in the form that patterns match.

import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";

/**
 * The path of a file, relative to the folder, with slashes. Undefined if the file is in the folder neither as written
 * nor by the folder's real path. The file need not exist.
 */
export async function pathIn(folder: string, path: string): Promise<string | undefined> {
  if (path.includes("\0")) return undefined;
  const real = await realpath(folder).catch(() => folder);
  return within(resolve(folder), path) ?? within(real, path);
}

/** Compares components, not prefixes: `/work-evil` is not in `/work`. */
function within(folder: string, path: string): string | undefined {
  const relativePath = relative(folder, resolve(folder, path));
  const parts = relativePath.split(sep);
  return relativePath === "" || isAbsolute(relativePath) || parts[0] === ".." ? undefined : parts.join("/");
}
