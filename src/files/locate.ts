// Resolves a path that a model gave to a real path inside the root, or throws an error with words for the model.

import { realpathSync, statSync, type Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { LastcallError } from "../core/index.js";
import { explain } from "../core/internal.js";

/**
 * The real path of a root.
 * @throws LastcallError `configuration` if it does not exist or is no folder.
 */
export function openRoot(root: string): string {
  try {
    const real = realpathSync.native(root);
    if (statSync(real).isDirectory()) return real;
  } catch (thrown) {
    const message = `The root ${JSON.stringify(root)} can't be opened: ${explain(thrown)}. Give a folder that exists.`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
  throw new LastcallError("configuration", `The root ${JSON.stringify(root)} is no folder. Give a folder that exists.`);
}

/**
 * The real path that `path` leads to, seen from `root` (itself a real path). It need not exist. No part of the result
 * is a symbolic link, so only a later change can make it lead elsewhere.
 * @throws Error for the model if the path leads outside, or can't be resolved.
 */
export async function locate(root: string, path: string, links: Links = onDisk): Promise<string> {
  const wanted = resolve(root, expand(usable(path)));
  try {
    const real = await follow(wanted, path, links);
    if (contains(root, real)) return real;
  } catch (thrown) {
    // The model is not even told whether a path outside exists.
    if (contains(root, wanted)) throw thrown;
  }
  throw outside(root, path);
}

/**
 * The real path of the entry that `path` names. If that is a symbolic link, the result is the link itself, not its
 * target. The folder of the entry is a real path inside the root. The root itself is refused.
 * @throws Error for the model, as `locate` does.
 */
export async function locateItself(root: string, path: string, links: Links = onDisk): Promise<string> {
  const wanted = resolve(root, expand(usable(path)));
  const folder = dirname(wanted);
  if (wanted === root) throw refusal(path, "it is the workspace itself", "Give a path inside it.");
  let real: string;
  try {
    real = await follow(folder, path, links);
  } catch (thrown) {
    if (contains(root, folder)) throw thrown;
    throw outside(root, path);
  }
  if (!contains(root, real)) throw outside(root, path);
  const itself = join(real, basename(wanted));
  await links.look(itself).catch((thrown: unknown) => {
    throw unfollowed(path, thrown);
  });
  return itself;
}

/** The part of a file system that is needed to resolve a path. */
export interface Links {
  /** The real path of an existing path. Rejects as `realpath` does, with the code `ENOENT` if nothing exists there. */
  follow(path: string): Promise<string>;
  /** The entry at the path, without following a symbolic link; undefined if nothing exists there. */
  look(path: string): Promise<unknown>;
}

const onDisk: Links = { follow: (path) => realpath(path), look };

function usable(path: string): string {
  if (path.includes("\0")) throw refusal(path, "it holds a NUL character", "Give a path without it.");
  if (process.platform === "win32" && isStrangeOnWindows(path))
    throw refusal(path, "a name in it means something else to Windows", "Give it another name.");
  if (isForeign(path))
    throw refusal(path, "it is an address, or written for Windows", "Give a path in the workspace, with slashes.");
  return path;
}

/**
 * True for a path that would be an odd name here but leads elsewhere on the system it was written for: `C:\x`, `..\x`,
 * `file:///x`.
 */
function isForeign(path: string): boolean {
  if (/^[a-z][a-z+.-]+:\/\//i.test(path)) return true;
  return sep === "/" && /^(?:[A-Za-z]:[\\/]|\\\\)|(?:^|[\\/])\.\.\\/.test(path);
}

/**
 * True if Windows reads a part of the path as a device, as a stream of a file, or without the dots and spaces at its
 * end.
 */
export function isStrangeOnWindows(path: string): boolean {
  const parts = path.replace(/^[A-Za-z]:(?=[\\/])/, "").split(/[\\/]/);
  const isDevice =
    /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])\s*(?:[.:]|$)/i;
  return parts.some(
    (part) => isDevice.test(part) || part.includes(":") || (/[. ]$/.test(part) && !/^\.\.?$/.test(part)),
  );
}

/** Replaces a `~` at the beginning by the home folder, as shells do. A file with that name is `./~`. */
export function expand(path: string): string {
  return /^~(?:$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path;
}

/** The path for the model to read and repeat: relative to the root, with slashes. */
export function shown(root: string, real: string): string {
  return relative(root, real).split(sep).join("/") || ".";
}

/** The code of a system error, such as `ENOENT`; undefined for other values. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}

/** The entry at a real path; undefined if nothing exists there. */
async function look(real: string): Promise<Stats | undefined> {
  try {
    return await lstat(real);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** True if a real path is in the folder. Compares components, not prefixes: `/work-evil` is not in `/work`. */
export function contains(root: string, real: string): boolean {
  const relativePath = relative(root, real);
  return !isAbsolute(relativePath) && relativePath.split(sep)[0] !== "..";
}

/** The real path of the deepest part that exists, followed by the rest unchanged. */
async function follow(wanted: string, path: string, links: Links): Promise<string> {
  const rest: string[] = [];
  for (let part = wanted; ; part = dirname(part)) {
    try {
      return join(await links.follow(part), ...rest);
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT") throw unfollowed(path, thrown);
    }
    // Writing to a link with a missing target would create the target, wherever it is.
    const isDangling = (await links.look(part)) !== undefined;
    if (isDangling) throw refusal(path, "it goes through a symbolic link to nothing", "Use a path without that link.");
    rest.unshift(basename(part));
  }
}

function unfollowed(path: string, thrown: unknown): Error {
  switch (codeOf(thrown)) {
    case "ENOTDIR":
      return refusal(path, "a part of it is a file and no folder", "Call list_files to see what there is.");
    case "ELOOP":
      return refusal(path, "its symbolic links lead round in a circle", "Use a path without them.");
    default:
      return refusal(path, explain(thrown), "Use another path.");
  }
}

function outside(root: string, path: string): Error {
  const why = `it leads outside the workspace, which is ${root}`;
  return refusal(path, why, "Give a path inside it, relative to its root.");
}

function refusal(path: string, why: string, advice: string): Error {
  return new Error(`The path ${JSON.stringify(path)} can't be used: ${why}. ${advice}`);
}
