// Finds the other names of a file in a workspace: links and hard links with a protected or secret name that lead to it.

import { lstatSync, readdirSync, readFileSync, type Dirent, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { KnownFolders } from "./known-folders.js";
import { contains } from "./locate.js";
import { nameFilter } from "./matcher.js";
import { askedFor, neverWritten, protectionOf } from "./protected-files.js";
import { isSecretFile, isSecretFolder } from "./secret/secret-files.js";
import { wayOf } from "./steps-of-link.js";

/** The other names of files, at one moment. */
export interface OtherNames {
  /** The paths of the links that lead to a file or to a folder around it. All paths are absolute; this one has real folders. */
  of(path: string): readonly string[];
}

/** What one folder holds. */
interface Folder {
  /** The number of its entries. */
  readonly count: number;
  readonly folders: readonly string[];
  /** Links with a protected or secret name, or in a folder with one. */
  readonly links: readonly string[];
  /** Other files of these names. */
  readonly files: readonly string[];
}

/** The most entries of a workspace that are looked at; links further down are not known. */
const maxEntries = 200_000;
const foldersPerTurn = 200;
const notEntered: ReadonlySet<string> = new Set(["node_modules", ".git", ".hg", ".svn"]);

const mayBeProtected = nameFilter([...neverWritten, ...askedFor]);

const known = new KnownFolders(sorted);

/**
 * Looks through a workspace for links with a protected or secret name. A folder that has not changed since the last look is not read
 * again. `root` is a real path.
 */
export async function otherNames(root: string): Promise<OtherNames> {
  const names = new Map<string, string[]>();
  const numbers = new Map<string, string[]>();
  let seen = 0;
  let read = 0;
  for (const open = [""]; open.length > 0 && seen <= maxEntries;) {
    const path = open.pop() ?? "";
    if (++read % foldersPerTurn === 0) await turn();
    const folder = known.look(path, path === "" ? root : `${root}/${path}`);
    if (folder === undefined) continue;
    seen += folder.count;
    open.push(...folder.folders);
    for (const link of folder.links) addWay(names, root, join(root, link));
    for (const file of folder.files) addNumber(numbers, join(root, file));
  }
  addGit(names, root);
  return { of: (path) => [...linksTo(names, root, path), ...hardLinksOf(numbers, path)] };
}

function sorted(folder: string, entries: readonly Dirent[]): Folder {
  const [folders, links, files]: [string[], string[], string[]] = [[], [], []];
  const isInListed = folder !== "" && (isSecretFolder(folder) || protectionOf(folder) !== undefined);
  const isListed = (name: string, path: string): boolean =>
    isInListed ||
    isSecretFile(path) ||
    isSecretFolder(path) ||
    (mayBeProtected(name) && protectionOf(path) !== undefined);
  for (const entry of entries) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!notEntered.has(entry.name)) folders.push(path);
    } else if (isListed(entry.name, path)) (entry.isSymbolicLink() ? links : files).push(path);
  }
  return { count: entries.length, folders, links, files };
}

function addWay(names: Map<string, string[]>, root: string, link: string, name: string = link): void {
  const way = wayOf(link);
  for (const path of way === undefined ? [] : [...way.links, way.end]) add(names, root, path, name);
}

function add(names: Map<string, string[]>, root: string, path: string, name: string): void {
  if (path !== root && contains(root, path) && path !== name) names.set(path, [...(names.get(path) ?? []), name]);
}

function addNumber(numbers: Map<string, string[]>, path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.nlink < 2) return;
  const key = numberOf(stats);
  numbers.set(key, [...(numbers.get(key) ?? []), path]);
}

const numberOf = ({ dev, ino }: Stats): string => `${String(dev)}:${String(ino)}`;

/**
 * Adds the places that git reads although nothing there has a protected name: the folder that a `.git` file names, hooks that are links,
 * and the folder of hooks that the settings name. People edit hooks, so these count as `.githooks`, which is asked about.
 */
function addGit(names: Map<string, string[]>, root: string): void {
  const git = join(root, ".git");
  const hooks = join(root, ".githooks");
  const stats = lstatSync(git, { throwIfNoEntry: false });
  if (stats?.isFile() === true) {
    const named = /^gitdir:\s*(.+)$/m.exec(beginningOf(git))?.[1];
    if (named !== undefined) add(names, root, resolve(root, named.trim()), git);
  }
  if (stats?.isDirectory() !== true) return;
  const common = beginningOf(join(git, "commondir")).trim();
  if (common !== "") add(names, root, resolve(git, common), git);
  const named = /^\s*hookspath\s*=\s*"?([^"\n#;]+)/im.exec(beginningOf(join(git, "config")))?.[1]?.trim();
  if (named !== undefined) add(names, root, resolve(root, named), hooks);
  addWay(names, root, join(git, "hooks"), hooks);
  try {
    for (const entry of readdirSync(join(git, "hooks"), { withFileTypes: true }))
      if (entry.isSymbolicLink()) addWay(names, root, join(git, "hooks", entry.name), join(hooks, entry.name));
  } catch {
    // There are no hooks.
  }
}

function beginningOf(path: string): string {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.size <= 64 * 1024 ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

function linksTo(names: ReadonlyMap<string, readonly string[]>, root: string, path: string): readonly string[] {
  if (names.size === 0) return [];
  const found: string[] = [];
  for (let at = path; at !== root && at !== dirname(at); at = dirname(at))
    for (const name of names.get(at) ?? []) found.push(name + path.slice(at.length));
  return found;
}

function hardLinksOf(numbers: ReadonlyMap<string, readonly string[]>, path: string): readonly string[] {
  if (numbers.size === 0) return [];
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined || stats.nlink < 2
      ? []
      : (numbers.get(numberOf(stats)) ?? []).filter((name) => name !== path);
  } catch {
    return [];
  }
}
