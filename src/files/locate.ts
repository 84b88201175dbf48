// Paths: a path that a model gave becomes a real one inside the root, or an error with words for the model.

import { realpathSync, statSync, type Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { LastcallError } from "../core/index.js";
import { explain } from "../core/internal.js";

/**
 * The real path of a root.
 * @throws LastcallError `configuration` where it does not exist or is no folder.
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
 * The real path that `path` leads to, seen from `root` (itself a real path); it need not exist. No part of what is
 * returned is a symbolic link, so that nothing but a change in between can lead away from it.
 * @throws Error for the model where the path leads outside, or nobody can say where it leads.
 */
export async function locate(root: string, path: string, links: Links = onDisk): Promise<string> {
  const wanted = resolve(root, expand(usable(path)));
  try {
    const real = await follow(wanted, path, links);
    if (contains(root, real)) return real;
  } catch (thrown) {
    // Of what is outside, it is not even told whether there is such a thing.
    if (contains(root, wanted)) throw thrown;
  }
  throw outside(root, path);
}

/**
 * The real path of the very thing that `path` names: where that is a symbolic link, the link itself and not where it leads. Its
 * folder is a real path inside the root, which is not named itself.
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

/** What is asked of a file system to find where a path leads. */
export interface Links {
  /** The real path of what exists. Rejects as `realpath` does, with the code `ENOENT` where nothing is. */
  follow(path: string): Promise<string>;
  /** What is at the path, a symbolic link not followed; undefined where nothing is. */
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

/** True for what would be a strange name inside, and leads elsewhere to whoever wrote it: `C:\x`, `..\x`, `file:///x`. */
function isForeign(path: string): boolean {
  if (/^[a-z][a-z+.-]+:\/\//i.test(path)) return true;
  return sep === "/" && /^(?:[A-Za-z]:[\\/]|\\\\)|(?:^|[\\/])\.\.\\/.test(path);
}

/** True for what Windows takes for a device, a stream of a file, or a name without the dots and spaces at its end. */
export function isStrangeOnWindows(path: string): boolean {
  const parts = path.replace(/^[A-Za-z]:(?=[\\/])/, "").split(/[\\/]/);
  const isDevice =
    /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])\s*(?:[.:]|$)/i;
  return parts.some(
    (part) => isDevice.test(part) || part.includes(":") || (/[. ]$/.test(part) && !/^\.\.?$/.test(part)),
  );
}

/** A `~` at the beginning means the home folder to whoever writes it, as it does to shells. A name like that is `./~`. */
export function expand(path: string): string {
  return /^~(?:$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path;
}

/** The path as the model should read and repeat it: relative to the root, with slashes. */
export function shown(root: string, real: string): string {
  return relative(root, real).split(sep).join("/") || ".";
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}

/** What is at a real path; undefined where nothing is. */
async function look(real: string): Promise<Stats | undefined> {
  try {
    return await lstat(real);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** True where a real path is in the folder. By components and never by prefix: `/work-evil` is not in `/work`. */
export function contains(root: string, real: string): boolean {
  const way = relative(root, real);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}

/** The real path of the deepest part that exists, and the rest as it stands. */
async function follow(wanted: string, path: string, links: Links): Promise<string> {
  const rest: string[] = [];
  for (let part = wanted; ; part = dirname(part)) {
    try {
      return join(await links.follow(part), ...rest);
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT") throw unfollowed(path, thrown);
    }
    // Writing to a link whose target is missing would make the target, wherever it is.
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
