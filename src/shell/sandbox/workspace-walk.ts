// The walk through a workspace before a command: finds its secrets and its protected files, at any depth.

import { lstatSync, readdirSync, readlinkSync, type Dirent } from "node:fs";
import { lstat, rename, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { OpenableWall } from "../../core/index.js";
import { askedFor, isSecretFile, nameFilter, neverWritten, protectionOf, secretNames } from "../../files/index.js";

/** The files and folders of a workspace that a command must not read or change. Paths are absolute, with real folders. */
export interface Watched {
  /** Files that are likely to hold secrets. */
  readonly secrets: readonly string[];
  /** Files that rules forbid to read. */
  readonly unreadable: readonly string[];
  /** Files that programs run or obey later, and those that rules forbid to write, by path. */
  readonly kept: ReadonlyMap<string, Entry>;
  /** False if the workspace has more than `maxEntries`, so that some were not looked at. */
  readonly isWhole: boolean;
}

/** An entry of a folder, as it is at one moment. */
export interface Entry {
  /** Its number in the file system, and the number of its folder. */
  readonly inode: number;
  readonly folder: number;
  /** The target, if it is a link. */
  readonly target: string | undefined;
}

/** True if rules forbid the access. */
export type Forbids = (access: "read" | "write", path: string) => boolean;

/** The most entries that a walk looks at. */
const maxEntries = 200_000;
const mayBeListed = nameFilter([...secretNames, ...neverWritten, ...askedFor]);

/** Packages, and the data of version control. */
const notEntered: ReadonlySet<string> = new Set(["node_modules", ".git", ".hg", ".svn"]);

/** The walk lets others work after this number of folders. */
const foldersPerTurn = 200;

/** A folder that the walk enters. */
interface Entered {
  /** Relative to the root; empty for the root. */
  readonly path: string;
  /** True if the folder, or one above it, is kept, so that nothing in it has to be kept by itself. */
  readonly isKept: boolean;
}

/**
 * Walks through the folder, breadth first. It follows no links, and enters neither packages, nor the data of version control, nor a
 * folder that can't be read afterwards.
 */
export async function walk(root: string, forbids?: Forbids): Promise<Watched> {
  const secrets: string[] = [];
  const unreadable: string[] = [];
  const kept = new Map<string, Entry>();
  let folders: readonly Entered[] = [{ path: "", isKept: false }];
  let [seen, read] = [0, 0];
  while (folders.length > 0 && seen <= maxEntries) {
    const below: Entered[] = [];
    for (const { path: folder, isKept: isInKept } of folders) {
      if (++read % foldersPerTurn === 0) await turn();
      for (const entry of entriesOf(join(root, folder))) {
        if (++seen > maxEntries) break;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        // Joining is quick, and most names are on no list.
        const at = `${root}/${path}`;
        const isListed = mayBeListed(entry.name);
        const isUnreadable = forbids?.("read", at) === true;
        const isSecret = isListed && isSecretFile(path);
        const isKept = !isInKept && ((isListed && protectionOf(path) !== undefined) || forbids?.("write", at) === true);
        if (isUnreadable) unreadable.push(at);
        if (isSecret) secrets.push(at);
        if (isKept) kept.set(at, entryAt(at));
        const isLeftOut = isUnreadable || isSecret || notEntered.has(entry.name);
        if (entry.isDirectory() && !isLeftOut) below.push({ path, isKept: isInKept || isKept });
      }
    }
    folders = below;
  }
  return { secrets, unreadable, kept, isWhole: seen <= maxEntries };
}

/** @throws Error for the model if some files were not looked at, and a closed wall is about them. */
export function expectWhole(
  { isWhole }: Watched,
  { opens, forbids }: { readonly opens: readonly OpenableWall[]; readonly forbids: Forbids | undefined },
): void {
  if (isWhole || (forbids === undefined && opens.includes("secrets") && opens.includes("protected"))) return;
  const advice = "Ask the user to work in a smaller folder, or state that the command needs secrets and protected";
  throw new Error(
    `The workspace has more than ${String(maxEntries)} files, so its secrets and protected files can't be held. ${advice}.`,
  );
}

/**
 * Renames the protected files that a command made, to `name.unasked`, so that no program runs or obeys them. Restores the links among them
 * that the command changed. Nothing is deleted, because a person may have made the file at the same time. Returns the paths, as they were.
 */
export async function setAsideMade(root: string, before: Watched, forbids?: Forbids): Promise<readonly string[]> {
  const { kept } = await walk(root, forbids);
  // The command can't delete these, because they are mounts, so no other entry has their numbers.
  const moved = new Set(
    [...before.kept.values()].flatMap(({ inode, target }) => (target === undefined ? [inode] : [])),
  );
  const made = [...kept].flatMap(([path, now]) => {
    const then = before.kept.get(path);
    if (then?.target !== undefined) return then.target === now.target ? [] : [path];
    // A mount can't be replaced. If its folder is the same one, a person has replaced the file.
    return moved.has(now.inode) || then?.folder === now.folder ? [] : [path];
  });
  for (const path of made) await rename(path, await freeName(`${path}.unasked`));
  for (const [path, { target }] of before.kept)
    if (target !== undefined && kept.get(path)?.target !== target)
      // Its folder may be gone.
      await symlink(target, path).catch(() => undefined);
  return made;
}

/** The path itself, or the first one with a number behind it, at which nothing exists. */
async function freeName(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path}-${String(number)}`;
    if ((await lstat(name).catch(() => undefined)) === undefined) return name;
  }
}

/** A folder that can't be read is one that no command of this user reads either. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function entryAt(path: string): Entry {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  const target = stats?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  return { inode: stats?.ino ?? 0, folder: folder?.ino ?? 0, target };
}
