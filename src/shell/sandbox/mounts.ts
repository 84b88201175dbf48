// The mounts of a sandbox: the parts of the file system it contains, and how.

import { lstatSync } from "node:fs";
import { lstat, mkdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { OpenableWall } from "../../core/index.js";
import { contains, gitPlaces } from "../../files/index.js";
import { existing } from "./home-folder.js";
import { privateFolders } from "./key-places.js";
import type { Outside } from "./outside-look.js";
import { otherPlaces } from "../places/hidden-around.js";
import { MovedMeanwhile } from "../process/report.js";
import type { Placed } from "../workspace/covers.js";
import { entriesAt, type Entry, type Watched } from "../workspace/walk.js";

/** A path in the sandbox, as a real path, and how it is mounted. */
export interface Mount {
  readonly path: string;
  readonly kind: "read-only" | "writable" | "own" | "empty-folder" | "empty-file" | "devices" | "processes";
}

/** The settings of a sandbox that determine its mounts. */
export interface MountSettings {
  /** A real path. */
  readonly root: string;
  readonly writable: boolean;
  readonly network: boolean;
  /** Real paths. */
  readonly readable: readonly string[];
  /** Paths; links are possible. */
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
}

/** The part of the mounts that differs from one command to another. */
export interface MountsOfCommand {
  readonly opens: readonly OpenableWall[];
  readonly watched: Watched;
  /** The secrets of the project around the workspace. */
  readonly around: Watched | undefined;
  readonly outside: Outside;
}

/** The mounts of one command, in the order in which they are made, and the files that they hide: real paths. */
export interface Planned {
  readonly mounts: readonly Mount[];
  readonly hidden: readonly string[];
}

/**
 * The parts of git's data that can't be changed even if the wall `protected` is open: git runs or obeys them.
 *
 * Known gaps: git obeys some files unasked that may not exist (`.git/commondir`; `readOnly: [".git"]` prevents it). And scripts, Makefiles
 * and tests are the work itself.
 */
const trustedByGit: readonly string[] = ["hooks", "config", "config.worktree", "modules"];

/**
 * The mounts for one command, in the order in which they are made: deeper paths come later, so that no mount covers
 * them.
 */
export async function mountsFor(settings: MountSettings, command: MountsOfCommand): Promise<Planned> {
  const { root, writable, network } = settings;
  const { opens, watched, around, outside } = command;
  const { home } = outside;
  // A path that has become a link since may lead to a hidden file.
  const readable = (await existing(settings.readable)).filter((path) => settings.readable.includes(path));
  const named = await existing(settings.hidden);
  const isSecretOpen = opens.includes("secrets");
  const inside = await realPaths([
    ...watched.unreadable,
    ...(isSecretOpen ? [] : watched.secrets),
    ...(around?.unreadable ?? []),
    ...(isSecretOpen || opens.includes("home") ? [] : (around?.secrets ?? [])),
  ]);
  const all = [...new Set([...outside.secret, ...named, ...otherPlaces(named), ...inside])];
  // A settings file at home that holds a secret is left out, as all that is not shown there.
  const shown = home.shown.filter((path) => !all.includes(path));
  const isInHiddenHome = (path: string): boolean =>
    [...home.homes, ...home.empty].some((folder) => contains(folder, path)) &&
    ![root, ...shown].some((one) => contains(one, path));
  const hidden = await hide(all.filter((path) => !readable.includes(path) && !isInHiddenHome(path)));
  const mounts: readonly Mount[] = [
    { path: "/", kind: "read-only" },
    { path: "/dev", kind: "devices" },
    { path: "/proc", kind: "processes" },
    // The kernel's settings belong to root, who may write them also without capabilities.
    { path: "/proc/sys", kind: "read-only" },
    ...[...(await existing(privateFolders)), ...home.homes].map((path): Mount => ({ path, kind: "own" })),
    ...home.empty.map((path): Mount => ({ path, kind: "empty-folder" })),
    ...(network || opens.includes("network") ? await nameServers() : []),
    ...shown.map(readOnly),
    ...hidden,
    { path: root, kind: writable ? "writable" : "read-only" },
    ...readable.map(readOnly),
    ...(writable ? await keep(settings, command, hidden) : []),
  ];
  const files = hidden.flatMap(({ kind, path }) => (kind === "empty-file" ? [path] : []));
  return {
    mounts: mounts.toSorted((a, b) => depth(a.path) - depth(b.path)),
    hidden: [...files, ...home.shown.filter((path) => !shown.includes(path))],
  };
}

/** Not at a place of the host's, or the same for every sandbox. */
const ownPlaces: ReadonlySet<string> = new Set(["/", "/dev", "/proc", "/proc/sys"]);

/**
 * The places that the mounts show or cover, as they are now.
 * @throws MovedMeanwhile if a place is gone or somewhere else by now, or is not what the walk saw.
 */
export function placesOf(mounts: readonly Mount[], walks: readonly Watched[]): readonly Placed[] {
  const seen = new Map(walks.flatMap(({ secrets, unreadable, kept }) => [...secrets, ...unreadable, ...kept]));
  const placed = mounts.filter(({ path }) => !ownPlaces.has(path));
  const entries = entriesAt(placed.map(({ path }) => path));
  return placed.map(({ path, kind }): Placed => {
    const [entry, then] = [entries.get(path), seen.get(path)];
    if (entry === undefined || (then !== undefined && then.number !== entry.number)) throw new MovedMeanwhile(path);
    return { path, entry, isCovered: kind !== "read-only" && kind !== "writable" };
  });
}

/** The settings of name servers are often in `/run`, which is the sandbox's own. */
async function nameServers(): Promise<readonly Mount[]> {
  return (await existing(["/etc/resolv.conf"])).filter((path) => contains("/run", path)).map(readOnly);
}

const readOnly = (path: string): Mount => ({ path, kind: "read-only" });

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}

/** The paths of entries that a walk has seen, and of the targets of its links. None is left out because it was moved since. */
async function realPaths(entries: readonly (readonly [path: string, entry: Entry])[]): Promise<readonly string[]> {
  const links = entries.flatMap(([path, { target }]) => (target === undefined ? [] : [path]));
  const plain = entries.flatMap(([path, { target }]) => (target === undefined ? [path] : []));
  return [...plain, ...(await existing(links))];
}

async function hide(paths: readonly string[]): Promise<readonly Mount[]> {
  const made = paths.map(async (path): Promise<Mount> => {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) throw new MovedMeanwhile(path);
    return { path, kind: found.isDirectory() ? "empty-folder" : "empty-file" };
  });
  return await Promise.all(made);
}

/**
 * Makes paths in a writable root read-only. A folder that contains a mount could be moved away and made anew; a folder that is itself a
 * mount can't. So the folders above the named paths, and above the parts of git's data, are bound to themselves. For other protected files
 * that would divide a workspace into many mounts, between which nothing can be renamed: `setAsideMade` renames what was made anew.
 */
async function keep(
  { root, readOnly: named }: MountSettings,
  { opens, watched }: MountsOfCommand,
  hidden: readonly Mount[],
): Promise<readonly Mount[]> {
  await makeHooks(root);
  const isOpen = opens.includes("protected");
  const repositories = isOpen ? repositoriesIn([...watched.kept.keys()]) : [];
  const parts = repositories.flatMap((path) => trustedByGit.map((part) => join(path, part)));
  const whole = [...watched.kept].filter(([path]) => !repositories.includes(path));
  // A mount inside a hidden path would show it again.
  const isHidden = (path: string): boolean =>
    hidden.some((place) => contains(root, place.path) && contains(place.path, path));
  const isKept = (path: string): boolean => path !== root && contains(root, path) && !isHidden(path);
  const held = (await existing([...parts, ...named.map((name) => join(root, name))])).filter(isKept);
  const kept = (await realPaths(whole)).filter(isKept);
  // A folder inside a protected folder is read-only with it: bound to itself, it would be writable again.
  const isLoose = (folder: string): boolean => !kept.some((path) => contains(path, folder));
  const above = new Set(held.flatMap((path) => foldersAbove(root, path)).filter(isLoose));
  return [...[...above].map((path): Mount => ({ path, kind: "writable" })), ...[...held, ...kept].map(readOnly)];
}

/** The data of git among kept paths: each `.git`, and the folders that a `.git` file names. */
function repositoriesIn(kept: readonly string[]): readonly string[] {
  const named = kept.filter((path) => basename(path) === ".git");
  const others = named.flatMap((path) => (isFolder(path) ? [] : gitPlaces(path).map((place) => place.path)));
  return [...named.filter(isFolder), ...others.filter((path) => kept.includes(path) && isFolder(path))];
}

/** The folders between the root and a path in it. */
function foldersAbove(root: string, path: string): readonly string[] {
  const folder = dirname(path);
  return folder === root ? [] : [folder, ...foldersAbove(root, folder)];
}

/** Makes the empty hooks folder in a repository without one, as git itself does: a missing path can't be bound. */
async function makeHooks(root: string): Promise<void> {
  const git = await lstat(join(root, ".git")).catch(() => undefined);
  if (git?.isDirectory() !== true) return;
  // If this user can't make it, no command can.
  await mkdir(join(root, ".git/hooks")).catch(() => undefined);
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
