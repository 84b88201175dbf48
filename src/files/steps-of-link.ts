// Follows a symbolic link by hand, and tells each link on its way.

import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The way of a link. */
export interface Way {
  /** The links on the way, without the first link: each could be made to lead elsewhere. Absolute. */
  readonly links: readonly string[];
  /** The path at the end, with no link in it. It need not exist. */
  readonly end: string;
}

/** The most links on a way, as in Linux. */
const maxLinks = 40;

/** The way from a link to its target; undefined if it leads round in a circle. `link` is absolute, and its folder is a real path. */
export function wayOf(link: string): Way | undefined {
  return follow(dirname(link), readlink(link) ?? "");
}

/** The way that an absolute path leads, with each link in it; undefined if it leads round in a circle. */
export function wayTo(path: string): Way | undefined {
  return follow("/", path);
}

function follow(folder: string, path: string): Way | undefined {
  const links: string[] = [];
  let left = partsOf(path);
  let at = isAbsolute(path) ? "/" : folder;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === "" || part === ".") continue;
    const next = part === ".." ? dirname(at) : join(at, part);
    const target = part === ".." ? undefined : readlink(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links.push(next);
    if (links.length > maxLinks) return undefined;
    left = [...partsOf(target), ...left];
    if (isAbsolute(target)) at = "/";
  }
  return { links, end: resolve(at) };
}

function partsOf(path: string): string[] {
  return path.split("/");
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/");
}

function readlink(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  } catch {
    // A part of the path is no folder.
    return undefined;
  }
}
