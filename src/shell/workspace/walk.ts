// The walk through a workspace before and after a command: finds its secrets and its protected files, at any depth.

import { lstatSync, readdirSync, readlinkSync, type Dirent, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { OpenableWall } from "../../core/index.js";
import {
  askedFor,
  holdFolder,
  isSecretFile,
  nameFilter,
  neverWritten,
  protectionOf,
  secretNames,
  type HeldFolder,
} from "../../files/index.js";
import { MovedMeanwhile } from "../process/report.js";

/** The files and folders of a workspace that a command must not read or change, by path. Paths are absolute, with real folders. */
export interface Watched {
  /** Files that are likely to hold secrets. */
  readonly secrets: ReadonlyMap<string, Entry>;
  /** Files that rules forbid to read. */
  readonly unreadable: ReadonlyMap<string, Entry>;
  /** Files that programs run or obey later, and those that rules forbid to write. */
  readonly kept: ReadonlyMap<string, Entry>;
  /** The numbers of the folders that were looked through. */
  readonly folders: ReadonlySet<string>;
  /** False if the workspace has more than `maxEntries`, so that some were not looked at. */
  readonly isWhole: boolean;
}

/** An entry of a folder, as it is at one moment. A number is that of the device and the one in its file system: `65024:1234`. */
export interface Entry {
  readonly number: string;
  /** The number of its folder. */
  readonly folder: string;
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
 * Walks through the folder, breadth first. It follows no links, also none that replace a folder meanwhile (see `holdFolder`), and enters
 * neither packages, nor the data of version control, nor a folder that can't be read afterwards.
 * @throws MovedMeanwhile if the root itself is not at its path.
 */
export async function walk(root: string, forbids?: Forbids): Promise<Watched> {
  const secrets = new Map<string, Entry>();
  const unreadable = new Map<string, Entry>();
  const kept = new Map<string, Entry>();
  const passed = new Set<string>();
  let folders: readonly Entered[] = [{ path: "", isKept: false }];
  let [seen, read] = [0, 0];
  const top = heldAt(root);
  if (top === undefined) throw new MovedMeanwhile(root);
  top.release();
  while (folders.length > 0 && seen <= maxEntries) {
    const below: Entered[] = [];
    for (const { path: folder, isKept: isInKept } of folders) {
      if (++read % foldersPerTurn === 0) await turn();
      const held = heldAt(join(root, folder));
      if (held === undefined) continue;
      const own = numberOf(lstatSync(held.at(".")));
      passed.add(own);
      for (const entry of entriesOf(held)) {
        if (++seen > maxEntries) break;
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        // Joining is quick, and most names are on no list.
        const at = `${root}/${path}`;
        const isListed = mayBeListed(entry.name);
        const isUnreadable = forbids?.("read", at) === true;
        const isSecret = isListed && isSecretFile(path);
        const isKept = !isInKept && ((isListed && protectionOf(path) !== undefined) || forbids?.("write", at) === true);
        const known = isUnreadable || isSecret || isKept ? entryIn(held, entry.name, own) : undefined;
        if (known !== undefined && isUnreadable) unreadable.set(at, known);
        if (known !== undefined && isSecret) secrets.set(at, known);
        if (known !== undefined && isKept) kept.set(at, known);
        const isLeftOut = isUnreadable || isSecret || notEntered.has(entry.name);
        if (entry.isDirectory() && !isLeftOut) below.push({ path, isKept: isInKept || isKept });
      }
      held.release();
    }
    folders = below;
  }
  return { secrets, unreadable, kept, folders: passed, isWhole: seen <= maxEntries };
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

/** The entries at these real paths, as they are now, by path. A path that leads through a link by now is left out. */
export function entriesAt(paths: readonly string[]): ReadonlyMap<string, Entry> {
  return new Map(
    [...new Set(paths)].flatMap((path): readonly (readonly [string, Entry])[] => {
      const held = heldAt(dirname(path));
      if (held === undefined) return [];
      const entry = entryIn(held, basename(path), numberOf(lstatSync(held.at("."))));
      held.release();
      return entry === undefined ? [] : [[path, entry]];
    }),
  );
}

/** The number of a file or folder: of its device, and in its file system. */
export function numberOf({ dev, ino }: Pick<Stats, "dev" | "ino">): string {
  return `${String(dev)}:${String(ino)}`;
}

/** The folder, held open; undefined if it is gone, or at its path is something else by now. */
export function heldAt(path: string): HeldFolder | undefined {
  try {
    return holdFolder(path);
  } catch {
    return undefined;
  }
}

/** A folder that can't be read is one that no command of this user reads either. */
function entriesOf(folder: HeldFolder): readonly Dirent[] {
  try {
    return readdirSync(folder.at("."), { withFileTypes: true });
  } catch {
    return [];
  }
}

function entryIn(held: HeldFolder, name: string, folder: string): Entry | undefined {
  try {
    const stats = lstatSync(held.at(name));
    return {
      number: numberOf(stats),
      folder,
      target: stats.isSymbolicLink() ? readlinkSync(held.at(name)) : undefined,
    };
  } catch {
    // It is gone by now.
    return undefined;
  }
}
