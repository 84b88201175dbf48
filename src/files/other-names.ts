// Finds the other names of a file in a workspace: links and hard links with a protected or secret name that lead to it.

import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { KnownFolders, type FolderEntry } from "./known-folders.js";
import { contains } from "./locate.js";
import { nameFilter } from "./matcher.js";
import { askedFor, neverWritten, protectionOf } from "./protected-files.js";
import { isSecretFile, isSecretFolder } from "./secret/secret-files.js";
import { wayOf } from "./steps-of-link.js";

/** The other names of files, at one moment. */
export interface OtherNames {
  /** The paths of the links that lead to a file or to a folder around it. All paths are absolute; this path has real folders. */
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
  /** True if it has a `.git`. */
  readonly isRepository: boolean;
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
    if (folder.isRepository)
      for (const { path: place, name } of gitPlaces(join(root, path, ".git"))) add(names, root, place, name);
  }
  return { of: (path) => [...linksTo(names, root, path), ...hardLinksOf(numbers, path)] };
}

function sorted(folder: string, entries: readonly FolderEntry[]): Folder {
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
  return { count: entries.length, folders, links, files, isRepository: entries.some(({ name }) => name === ".git") };
}

function addWay(names: Map<string, string[]>, root: string, link: string): void {
  const way = wayOf(link);
  for (const path of way === undefined ? [] : [...way.links, way.end]) add(names, root, path, link);
}

function add(names: Map<string, string[]>, root: string, path: string, name: string): void {
  // A link to a folder around itself protects nothing: nobody obeys all that is in it.
  if (path !== root && contains(root, path) && !contains(path, name))
    names.set(path, [...(names.get(path) ?? []), name]);
}

function addNumber(numbers: Map<string, string[]>, path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.nlink < 2) return;
  const key = numberOf(stats);
  numbers.set(key, [...(numbers.get(key) ?? []), path]);
}

const numberOf = ({ dev, ino }: Stats): string => `${String(dev)}:${String(ino)}`;

/** A place that git obeys although its name says nothing, and the name that it counts as. Absolute paths. */
export interface GitPlace {
  readonly path: string;
  readonly name: string;
}

/**
 * The places of a repository, whose `.git` is at this path: the folder that a `.git` file names, hooks that are links, with the links on
 * their way, and the folder of hooks that the settings name. People edit hooks, so these count as `.githooks`, which is asked about.
 */
export function gitPlaces(git: string): readonly GitPlace[] {
  const around = dirname(git);
  const hooks = join(around, ".githooks");
  const stats = lstatSync(git, { throwIfNoEntry: false });
  const folder = (path: string, name: string): readonly GitPlace[] => [{ path: resolve(around, path), name }];
  const wayTo = (link: string, name: string): readonly GitPlace[] => {
    const way = wayOf(link);
    return way === undefined ? [] : [...way.links, way.end].map((path) => ({ path, name }));
  };
  if (stats?.isFile() === true) {
    const named = /^gitdir:\s*(.+)$/m.exec(beginningOf(git))?.[1];
    return named === undefined ? [] : folder(named.trim(), git);
  }
  if (stats?.isDirectory() !== true) return [];
  const common = beginningOf(join(git, "commondir")).trim();
  const named = /^\s*hookspath\s*=\s*"?([^"\n#;]+)/im.exec(beginningOf(join(git, "config")))?.[1]?.trim();
  return [
    ...(common === "" ? [] : [{ path: resolve(git, common), name: git }]),
    ...(named === undefined ? [] : folder(named, hooks)),
    ...(isLink(join(git, "hooks")) ? wayTo(join(git, "hooks"), hooks) : []),
    ...linksIn(join(git, "hooks")).flatMap((name) => wayTo(join(git, "hooks", name), join(hooks, name))),
  ];
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function linksIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
  } catch {
    // There are no hooks.
    return [];
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
