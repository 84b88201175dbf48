// Looks through the system for what no sandbox shows: files that only root could read, and sockets of other programs.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { KnownFolders, type FolderEntry } from "../../files/index.js";
import { isRemote, mountTable } from "./mount-table.js";
import { recently } from "./recently.js";

/** What was found. Real paths. */
export interface Found {
  /** Files and folders that an ordinary user can't read. Only root looks for them. */
  readonly closed: readonly string[];
  readonly sockets: readonly string[];
}

/** The places of a look. Real paths. */
export interface LookedAt {
  /** The workspace and toolchains: nothing in them is closed, and a closed folder around a kept folder is entered. */
  readonly kept: readonly string[];
  /** Places that the sandbox does not show in any case. */
  readonly hidden: readonly string[];
  /** The sockets that have names now: after a change all is looked at again. */
  readonly bound: string;
}

/** Folders at the top that hold programs, or nothing that a sandbox shows. */
const leftOut: ReadonlySet<string> = new Set(
  "proc sys dev run tmp bin sbin lib lib32 lib64 libx32 usr boot lost+found snap nix gnu".split(" "),
);

/** The bounds: what is further down is not found. */
const maxEntries = 30_000;
const maxDepth = 8;
const foldersPerTurn = 100;

/** Modes change without a change of the folder, so all is looked at again after this time. Milliseconds. */
const validity = 60_000;

/** What one folder holds, by names. */
interface Content {
  readonly count: number;
  /** The folders, also closed folders. */
  readonly folders: readonly string[];
  readonly closed: readonly string[];
  readonly sockets: readonly string[];
}

let known = new KnownFolders(contentOf);
let knownSince = 0;

/**
 * Looks through local file systems, unless that was done some seconds ago. A folder that has not changed since the last look is not read
 * again.
 */
export const lookAtSystem: (places: LookedAt) => Promise<Found> = recently(lookThrough);

async function lookThrough({ kept, hidden }: LookedAt): Promise<Found> {
  if (Date.now() - knownSince > validity) {
    known = new KnownFolders(contentOf);
    knownSince = Date.now();
  }
  const remote = mountTable().filter(isRemote);
  const skipped = new Set([...hidden, ...remote.map(({ place }) => place), ...kept]);
  const isBelowSkipped = (path: string): boolean => [...skipped].some((place) => isIn(place, path));
  const isAround = (path: string): boolean => kept.some((place) => isIn(path, place));
  const [closed, sockets]: [string[], string[]] = [[], []];
  let [seen, read] = [0, 0];
  let open: readonly string[] = [...tops(), "/usr/local/etc"].filter((path) => !isBelowSkipped(path));
  for (let level = 0; level <= maxDepth && open.length > 0 && seen <= maxEntries; level += 1) {
    const below: string[] = [];
    for (const folder of open) {
      if (++read % foldersPerTurn === 0) await turn();
      const content = known.look(folder, folder);
      if (content === undefined || (seen += content.count) > maxEntries) continue;
      // The folder itself is in no place that is skipped.
      const paths = (names: readonly string[]): readonly string[] =>
        names.map((name) => `${folder}/${name}`).filter((path) => !skipped.has(path));
      const hide = paths(content.closed).filter((path) => !isAround(path));
      closed.push(...hide);
      sockets.push(...paths(content.sockets));
      below.push(...paths(content.folders).filter((path) => !hide.includes(path)));
    }
    open = below;
  }
  return { closed, sockets };
}

/** The folders at the top of the file system. */
function tops(): readonly string[] {
  const entries = readdirSync("/", { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !leftOut.has(entry.name)).map(({ name }) => `/${name}`);
}

function contentOf(folder: string, entries: readonly FolderEntry[]): Content {
  const isRoot = process.getuid?.() === 0;
  const [folders, closed, sockets]: [string[], string[], string[]] = [[], [], []];
  for (const entry of entries) {
    if (entry.isDirectory()) folders.push(entry.name);
    if (entry.isSocket()) sockets.push(entry.name);
    if (isRoot && (entry.isDirectory() || entry.isFile()) && isClosed(join(folder, entry.name), entry.isDirectory()))
      closed.push(entry.name);
  }
  return { count: entries.length, folders, closed, sockets };
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** True if users other than the owner and the group can't read the file, or can't enter the folder. */
function isClosed(path: string, isFolder: boolean): boolean {
  const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o777;
  return (mode & (isFolder ? 0o1 : 0o4)) === 0;
}
