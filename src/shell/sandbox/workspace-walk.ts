// The walk through a workspace before a command: finds its secrets and its protected files, at any depth.

import { lstatSync, readdirSync, readlinkSync, type Dirent } from "node:fs";
import { rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { isSecretFile, protectionOf } from "../../files/index.js";

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
  /** Its number in the file system. An entry that is made anew has another one. */
  readonly inode: number;
  /** The target, if it is a link. */
  readonly target: string | undefined;
}

/** True if rules forbid the access. */
export type Forbids = (access: "read" | "write", path: string) => boolean;

/** The most entries that a walk looks at. */
export const maxEntries = 200_000;
/** The walk lets others work after this number of folders. */
const foldersPerTurn = 200;

/**
 * Walks through the folder, breadth first. It follows no links, and enters neither `node_modules` nor a folder that it
 * has listed.
 */
export async function walk(root: string, forbids: Forbids = () => false): Promise<Watched> {
  const secrets: string[] = [];
  const unreadable: string[] = [];
  const kept = new Map<string, Entry>();
  let folders: readonly string[] = [""];
  let [seen, read] = [0, 0];
  while (folders.length > 0 && seen <= maxEntries) {
    const below: string[] = [];
    for (const folder of folders) {
      if (++read % foldersPerTurn === 0) await turn();
      for (const entry of entriesOf(join(root, folder))) {
        if (++seen > maxEntries) break;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        const at = join(root, path);
        const isUnreadable = forbids("read", at);
        const isSecret = isSecretFile(path);
        const isKept = protectionOf(path) !== undefined || forbids("write", at);
        if (isUnreadable) unreadable.push(at);
        if (isSecret) secrets.push(at);
        if (isKept) kept.set(at, entryAt(at));
        if (entry.isDirectory() && !isUnreadable && !isSecret && !isKept && entry.name !== "node_modules")
          below.push(path);
      }
    }
    folders = below;
  }
  return { secrets, unreadable, kept, isWhole: seen <= maxEntries };
}

/**
 * Removes the protected files that a command made, and restores the links among them. Returns the paths of what it
 * removed. A file that the command only moved is not removed.
 */
export async function removeMade(root: string, before: Watched, forbids?: Forbids): Promise<readonly string[]> {
  const { kept } = await walk(root, forbids);
  const known = new Set([...before.kept.values()].map(({ inode }) => inode));
  const made = [...kept].flatMap(([path, { inode }]) => (known.has(inode) ? [] : [path]));
  for (const path of made) await rm(path, { recursive: true, force: true });
  for (const [path, { inode, target }] of before.kept)
    if (target !== undefined && kept.get(path)?.inode !== inode)
      // Its folder may be gone.
      await symlink(target, path).catch(() => undefined);
  return made;
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
  const target = stats?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  return { inode: stats?.ino ?? 0, target };
}
