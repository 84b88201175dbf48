// Finds the secrets and sockets in a folder that a sandbox shows: in a toolchain of the home folder, for example.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import {
  contains,
  isSecretFile,
  isSecretFolder,
  isSecretFound,
  KnownFolders,
  type FolderEntry,
  suspicionOf,
  wayOf,
} from "../../files/index.js";

/** The bounds of a search. */
export interface SearchBounds {
  /** Folders that are left out. Real paths. */
  readonly except: readonly string[];
  /** The most entries that are looked at, breadth first. */
  readonly entries: number;
  /** The most folders on the way to a file. */
  readonly depth: number;
}

/** What one folder holds. */
interface Content {
  readonly count: number;
  readonly folders: readonly string[];
  /** Files and links whose names make a look worthwhile, and folders of secrets. Names. */
  readonly suspects: readonly string[];
}

/** Packages, the data of version control, and stores of packages: they came from elsewhere, and are large. */
const notEntered: ReadonlySet<string> = new Set(
  "node_modules .git .hg .svn site-packages _cacache registry mod pkgs repository caches".split(" "),
);
const foldersPerTurn = 200;

const known = new KnownFolders(contentOf);

/**
 * The secrets and sockets in a folder, or the path itself if it is a file that is one: real paths. A link with the name of a secret gives
 * its target.
 * What is beyond the bounds is not found. `place` is a real path.
 */
export async function secretsBelow(
  place: string,
  { except, entries, depth }: SearchBounds,
): Promise<readonly string[]> {
  if (lstatSync(place, { throwIfNoEntry: false })?.isFile() === true)
    return isSecretFound(nameOf(place), place) ? [place] : [];
  const found: string[] = [];
  const label = nameOf(place);
  let [seen, read] = [0, 0];
  let open: readonly string[] = [""];
  for (let level = 0; level <= depth && open.length > 0; level += 1) {
    const below: string[] = [];
    for (const folder of open) {
      if (++read % foldersPerTurn === 0) await turn();
      const content = known.look(pathOf(label, folder), join(place, folder));
      if (content === undefined) continue;
      if ((seen += content.count) > entries) return found;
      for (const name of content.suspects) found.push(...secretsAt(place, label, pathOf(folder, name)));
      below.push(...content.folders.map((name) => pathOf(folder, name)));
    }
    open = below.filter((path) => !except.some((one) => contains(one, join(place, path))));
  }
  return found;
}

function contentOf(folder: string, entries: readonly FolderEntry[]): Content {
  const [folders, suspects]: [string[], string[]] = [[], []];
  for (const entry of entries) {
    const { name } = entry;
    const path = pathOf(folder, name);
    if (entry.isDirectory()) {
      if (isSecretFolder(path)) suspects.push(name);
      else if (name === ".git") suspects.push(".git/config");
      else if (!notEntered.has(name)) folders.push(name);
    } else if (
      entry.isSocket() ||
      (entry.isFile() ? suspicionOf(path) !== undefined : isSecretFile(path) || isSecretFolder(path))
    )
      suspects.push(name);
  }
  return { count: entries.length, folders, suspects };
}

function secretsAt(place: string, label: string, within: string): readonly string[] {
  const [at, path] = [join(place, within), pathOf(label, within)];
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (stats.isDirectory() || stats.isSocket()) return [at];
  if (!stats.isSymbolicLink()) return isSecretFound(path, at) ? [at] : [];
  const end = wayOf(at)?.end;
  if (end === undefined || !contains(place, end)) return [];
  const target = lstatSync(end, { throwIfNoEntry: false });
  if (target?.isDirectory() === true) return isSecretFolder(path) ? [end] : [];
  return target !== undefined && isSecretFound(path, end) ? [end] : [];
}

function pathOf(folder: string, name: string): string {
  return folder === "" || name === "" ? folder + name : `${folder}/${name}`;
}

/** The end of a path, with which kinds are recognised: `.config/git/config`. */
function nameOf(place: string): string {
  return place.split("/").filter(Boolean).slice(-3).join("/");
}
