// The walk through a workspace before and after a command: finds its secrets and its protected files, at any depth.

import { lstatSync, readdirSync, readlinkSync, type Dirent } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { OpenableWall } from "../../core/index.js";
import {
  askedFor,
  contains,
  gitPlaces,
  holdFolder,
  isSecretFile,
  isSecretFolder,
  isSecretFound,
  KnownFolders,
  nameFilter,
  neverWritten,
  protectionOf,
  suspicionOf,
  wayOf,
  type HeldFolder,
} from "../../files/index.js";
import { MovedMeanwhile } from "../process/report.js";

/** The files and folders of a workspace that a command must not read or change, by path. Paths are absolute, with real folders. */
export interface Watched {
  /** Files that are likely to hold secrets. */
  readonly secrets: ReadonlyMap<string, Entry>;
  /** Files that rules forbid to read. */
  readonly unreadable: ReadonlyMap<string, Entry>;
  /** Files that programs run or obey later, and files that rules forbid to write. */
  readonly kept: ReadonlyMap<string, Entry>;
  /** The numbers of the folders that were looked through. */
  readonly folders: ReadonlySet<string>;
  /** False if the workspace has more than `maxEntries`, so that some were not looked at. */
  readonly isWhole: boolean;
}

/**
 * An entry of a folder, as it is at one moment. A number consists of the device's number and the number in its file system: `65024:1234`.
 */
export interface Entry {
  readonly number: string;
  /** The number of its folder. */
  readonly folder: string;
  /** The target, if it is a link. */
  readonly target: string | undefined;
  /** True for a file that has another name as well: a hard link. */
  readonly isLinked: boolean;
}

/** True if rules forbid the access. */
export type Forbids = (access: "read" | "write", path: string) => boolean;

/** The most entries that a walk looks at. */
const maxEntries = 200_000;
const mayBeKept = nameFilter([...neverWritten, ...askedFor]);

/** Packages, and the data of version control. */
const notEntered: ReadonlySet<string> = new Set(["node_modules", ".git", ".hg", ".svn"]);

/** The walk lets other work go on after this number of folders. */
const foldersPerTurn = 200;

/** A folder that the walk enters. */
interface Entered {
  /** Relative to the root; empty for the root. */
  readonly path: string;
  /** True if the folder, or one above it, is kept, so that nothing in it has to be kept by itself. */
  readonly isKept: boolean;
}

/** What a walk has found so far. */
interface Findings {
  readonly secrets: Map<string, Entry>;
  readonly unreadable: Map<string, Entry>;
  readonly kept: Map<string, Entry>;
  readonly folders: Set<string>;
  /** Links whose way is protected with them. */
  readonly links: string[];
  /** The paths of each `.git`, and of each `node_modules`. */
  readonly repositories: string[];
  readonly packages: string[];
}

/** The places of a walk. */
interface Walked {
  readonly top: string;
  /** A folder that is left out. */
  readonly except?: string;
  readonly forbids?: Forbids | undefined;
}

/**
 * Walks through the folder, breadth first. It follows no links, also none that replace a folder meanwhile (see `holdFolder`), and enters
 * neither packages (but looks at their own files), nor the data of version control, nor a folder that can't be read afterwards. Files are
 * looked into for secrets if their names make that worthwhile. The targets of protected links, and hard links, are found as well.
 * @throws MovedMeanwhile if the root itself is not at its path.
 */
export async function walk(root: string, forbids?: Forbids): Promise<Watched> {
  const { isWhole, found } = await look({ top: root, forbids });
  addTargets(root, found);
  if (isWhole) await addHardLinks(root, found);
  return { ...found, isWhole };
}

/**
 * The secrets of the project around a workspace, and its sockets as unreadable. Nothing else of the project is watched, because no
 * command changes it.
 * @throws MovedMeanwhile if the project is not at its path.
 */
export async function walkAround(project: string, root: string): Promise<Watched> {
  const { isWhole, found } = await look({ top: project, except: root });
  if (isWhole) await addHardLinks(project, { ...found, kept: new Map() }, root);
  return { ...found, kept: new Map(), isWhole };
}

async function look({
  top,
  except,
  forbids,
}: Walked): Promise<{ readonly isWhole: boolean; readonly found: Findings }> {
  const found: Findings = {
    ...{ secrets: new Map(), unreadable: new Map(), kept: new Map(), folders: new Set() },
    ...{ links: [], repositories: [], packages: [] },
  };
  let folders: readonly Entered[] = [{ path: "", isKept: false }];
  let [seen, read] = [0, 0];
  const first = heldAt(top);
  if (first === undefined) throw new MovedMeanwhile(top);
  first.release();
  while (folders.length > 0 && seen <= maxEntries) {
    const below: Entered[] = [];
    for (const folder of folders) {
      if (++read % foldersPerTurn === 0) await turn();
      const held = heldAt(join(top, folder.path));
      if (held === undefined) continue;
      const own = numberOf(lstatSync(held.at(".")));
      found.folders.add(own);
      for (const entry of entriesOf(held)) {
        if (++seen > maxEntries) break;
        const entered = lookAtEntry(
          entry,
          { top, folder, held, own, forbids, hidesSockets: except !== undefined },
          found,
        );
        if (entered !== undefined && `${top}/${entered.path}` !== except) below.push(entered);
      }
      held.release();
    }
    folders = below;
  }
  await addPackages(found);
  return { isWhole: seen <= maxEntries, found };
}

/** The folder of an entry. */
interface Around {
  readonly top: string;
  readonly folder: Entered;
  readonly held: HeldFolder;
  /** The number of the folder. */
  readonly own: string;
  readonly forbids: Forbids | undefined;
  readonly hidesSockets: boolean;
}

/** Adds what is to be known of an entry. Returns it if it is a folder to enter. */
function lookAtEntry(entry: Dirent, around: Around, found: Findings): Entered | undefined {
  const { top, folder, held, own, forbids } = around;
  const { name } = entry;
  const path = folder.path === "" ? name : `${folder.path}/${name}`;
  // Joining is quick, and most names are on no list.
  const at = `${top}/${path}`;
  const isUnreadable = forbids?.("read", at) === true || (around.hidesSockets && entry.isSocket());
  const isSecret = isSecretEntry(entry, path, { held, at });
  const isListed = mayBeKept(name) && protectionOf(path) !== undefined;
  const isKept = !folder.isKept && (isListed || forbids?.("write", at) === true);
  if (isUnreadable || isSecret || isKept) {
    const known = entryIn(held, name, own);
    if (known !== undefined && isUnreadable) found.unreadable.set(at, known);
    if (known !== undefined && isSecret) found.secrets.set(at, known);
    if (known !== undefined && isKept) found.kept.set(at, known);
  }
  if (entry.isSymbolicLink() && (folder.isKept || isListed)) found.links.push(at);
  if (name === ".git") addRepository(at, found);
  if (name === "node_modules" && entry.isDirectory()) found.packages.push(at);
  const isLeftOut = isUnreadable || isSecret || notEntered.has(name);
  return entry.isDirectory() && !isLeftOut ? { path, isKept: folder.isKept || isKept } : undefined;
}

/** True for a file that is likely to hold secrets, for a folder of such files, and for a link with their name. */
function isSecretEntry(
  entry: Dirent,
  path: string,
  { held, at }: { readonly held: HeldFolder; readonly at: string },
): boolean {
  if (entry.isDirectory()) return isSecretFolder(path);
  const suspicion = suspicionOf(path);
  if (entry.isFile()) return suspicion !== undefined && isSecretFound(path, held.at(entry.name));
  if (!entry.isSymbolicLink()) return false;
  if (suspicion === "secret" || isSecretFolder(path)) return true;
  const end = suspicion === "mixed" ? wayOf(at)?.end : undefined;
  return end !== undefined && isSecretFound(path, end);
}

/** Adds a repository, and its settings if an address in them has an account. */
function addRepository(git: string, { repositories, secrets, folders }: Findings): void {
  repositories.push(git);
  const held = heldAt(git);
  if (held === undefined) return;
  folders.add(numberOf(lstatSync(held.at("."))));
  if (isSecretFound(".git/config", held.at("config"))) {
    const known = entryIn(held, "config", numberOf(lstatSync(held.at("."))));
    if (known !== undefined) secrets.set(`${git}/config`, known);
  }
  held.release();
}

/** The secrets among the files at the top of each package. What is further down would take seconds to look through. */
async function addPackages({ packages, secrets }: Findings): Promise<void> {
  const suspects: string[] = [];
  let read = 0;
  const open = packages.map((place) => ({ place, depth: 0 }));
  for (let one = open.pop(); one !== undefined && read < maxPackages; one = open.pop()) {
    const { place, depth } = one;
    if (++read % foldersPerTurn === 0) await turn();
    const { folders = [], files = [] } = knownPackages.look(place.slice(1), place) ?? {};
    suspects.push(...files.map((name) => `${place}/${name}`));
    const isScope = depth === 1 && basename(place).startsWith("@");
    if (depth === 0 || isScope) open.push(...folders.map((name) => ({ place: `${place}/${name}`, depth: depth + 1 })));
  }
  const found = suspects.filter((path) => isSecretFound(path.slice(1), path));
  for (const [path, entry] of entriesAt(found)) secrets.set(path, entry);
}

const maxPackages = 5000;
const knownPackages = new KnownFolders((folder, entries) => ({
  folders: entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])),
  files: entries.flatMap((entry) => (entry.isFile() && isSecretFile(`${folder}/${entry.name}`) ? [entry.name] : [])),
}));

/** Adds what protected links lead to, and each link on their way, and what git obeys. They may lead outside, where nothing is changed. */
function addTargets(root: string, { links, repositories, kept }: Findings): void {
  const ways = links.flatMap((link) => {
    const way = wayOf(link);
    return way === undefined ? [] : [...way.links, way.end].map((path) => ({ path, name: link }));
  });
  const places = [...ways, ...repositories.flatMap(gitPlaces)].filter(
    // A link to a folder around itself protects nothing: nobody obeys all that is in it.
    ({ path, name }) => path !== root && contains(root, path) && !contains(path, name),
  );
  for (const [path, entry] of entriesAt(places.map((place) => place.path))) if (!kept.has(path)) kept.set(path, entry);
}

/** Adds the other names of secrets and kept files that are hard links. Only if there are any, each file is looked at. */
async function addHardLinks(top: string, { secrets, kept }: Findings, except?: string): Promise<void> {
  const linked = (entries: ReadonlyMap<string, Entry>): ReadonlySet<string> =>
    new Set([...entries.values()].flatMap(({ isLinked, number }) => (isLinked ? [number] : [])));
  const [ofSecrets, ofKept] = [linked(secrets), linked(kept)];
  if (ofSecrets.size + ofKept.size === 0) return;
  let read = 0;
  for (const open = [top]; open.length > 0;) {
    const place = open.pop() ?? top;
    if (++read % foldersPerTurn === 0) await turn();
    const held = heldAt(place);
    if (held === undefined) continue;
    const own = numberOf(lstatSync(held.at(".")));
    for (const entry of entriesOf(held)) {
      const at = join(place, entry.name);
      if (entry.isDirectory() && !notEntered.has(entry.name) && at !== except) open.push(at);
      const known = entry.isFile() ? entryIn(held, entry.name, own) : undefined;
      if (known?.isLinked !== true) continue;
      if (ofSecrets.has(known.number)) secrets.set(at, known);
      if (ofKept.has(known.number) && !kept.has(at)) kept.set(at, known);
    }
    held.release();
  }
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
export function numberOf({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
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

/** If a folder can't be read here, no command of this user reads it either. */
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
      isLinked: stats.isFile() && stats.nlink > 1,
    };
  } catch {
    // It is gone by now.
    return undefined;
  }
}
