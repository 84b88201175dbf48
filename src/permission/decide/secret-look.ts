// Looks for files with secrets among the files that a search prints although nobody names them.

import { existsSync, lstatSync, opendirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expand, isSecretFile, isSecretFolder, isSecretFound, suspicionOf } from "../../files/index.js";
import { within } from "../rules/place.js";
import type { Arguments } from "../command/program-options.js";
import { Work } from "../command/decision-work.js";
import { literally, matchesWild, wildOf, type Wild } from "./wildcard.js";

/** The most entries of one look. */
const maxEntries = 8000;
/** The steps of an entry, and of a look into a folder. */
const stepsOfEntry = 1.2;
const stepsOfFolder = 15;
/** The steps of a look into a file. */
const stepsOfContent = 12;
const maxIgnoreFile = 64 * 1024;

/** The files that a search opens. */
interface Search {
  readonly folders: readonly string[];
  readonly seesHidden: boolean;
  /** The names that it opens; undefined for all. */
  readonly includes: readonly (readonly Wild[])[] | undefined;
  /** The names of folders that it leaves out, anywhere. */
  readonly excludes: readonly string[];
  readonly obeysIgnoreFiles: boolean;
}

/**
 * The search of `grep -r`; undefined if it opens no folder. A search that prints only names or counts is included: it tells whether a guess
 * is right, letter by letter.
 */
export function searchOfGrep({ options, targets }: Arguments): Search | undefined {
  const has = (...names: readonly string[]): boolean => names.some((name) => options.has(name));
  const isRecursive = has("r", "recursive") || (options.get("d") ?? []).includes("recurse");
  if (!isRecursive) return undefined;
  const wanted = (options.get("include") ?? []).map(wildsOf);
  const isLimited = wanted.length > 0 && !has("exclude") && !wanted.includes(undefined);
  return {
    folders: targets.length === 0 ? ["."] : targets,
    seesHidden: true,
    includes: isLimited ? wanted.filter((one) => one !== undefined) : undefined,
    excludes: (options.get("exclude-dir") ?? []).filter((name) => /^[\w.-]+$/.test(name)),
    obeysIgnoreFiles: false,
  };
}

/** The search of `rg`; undefined if it opens no file. */
export function searchOfRipgrep({ options, targets }: Arguments): Search | undefined {
  const has = (...names: readonly string[]): boolean => names.some((name) => options.has(name));
  // Of several ways to print, the last way counts in some versions.
  const matches = has("l", "c", "q", "count", "count-matches", "quiet", "files-with-matches", "files-without-match");
  if (has("files", "type-list") && !matches && !has("json")) return undefined;
  const overrides = has("u", "unrestricted", "hidden", "g", "glob", "iglob", "no-ignore", "no-ignore-vcs");
  return {
    folders: targets.length === 0 ? ["."] : targets,
    seesHidden: overrides,
    includes: undefined,
    excludes: [],
    obeysIgnoreFiles: !overrides,
  };
}

/** The work of the decision, and whether a link with the name of a secret leads to a file. */
interface Judging {
  readonly work: Work;
  readonly isLinkedSecret: (path: string) => boolean;
}

/** Words for the first file with secrets that the search opens, or for a look that was given up; undefined if there is none. */
export function secretIn(
  root: string,
  folder: string,
  search: Search,
  { work, isLinkedSecret }: Judging = { work: new Work(), isLinkedSecret: () => false },
): string | undefined {
  const ignored = search.obeysIgnoreFiles ? ignoredIn(root) : [];
  const open = search.folders.map((one) => resolve(folder, expand(one))).reverse();
  for (const place of open) work.spend(place.split("/").length * stepsOfFolder);
  let seesHidden = search.seesHidden || open.some((place) => foldersUpFrom(place).some(takesBack));
  let seen = 0;
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    work.spend(stepsOfFolder);
    // A link that is named is followed; a link that is found is not.
    if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const entries: Entry[] = [];
    for (const entry of entriesOf(place)) {
      work.spend(stepsOfEntry);
      if ((seen += 1) > maxEntries) return "it searches more files than can be looked through for secrets";
      entries.push(entry);
    }
    seesHidden ||= entries.some(({ name }) => mayTakeBack.has(name)) && takesBack(place);
    for (const entry of entries) {
      const { name } = entry;
      if (name.startsWith(".") && !seesHidden) continue;
      const path = join(place, name);
      const isFolder = entry.isDirectory();
      if (isFolder && (search.excludes.includes(name) || ignored.includes(path))) continue;
      const isOpened =
        isFolder || (entry.isFile() && search.includes?.some((one) => matchesWild(one, name, work)) !== false);
      const named = within(root, path) ?? name;
      if (isOpened && !isFolder && suspicionOf(named) !== undefined) work.spend(stepsOfContent);
      const isSecret = isFolder
        ? isSecretFolder(named)
        : isOpened && (isSecretFound(named, path) || isLinkedSecret(path));
      if (isSecret) return `it prints ${relative(root, path)}, which is likely to hold secrets`;
      if (isFolder) open.push(path);
    }
  }
  return undefined;
}

/** An entry of a folder. */
interface Entry {
  readonly name: string;
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

/** The names of ignore files, and of the folder that has another ignore file. */
const mayTakeBack: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore", ".git"]);

/** The entries of a folder, read one by one, so that a look can be given up. */
export function* entriesOf(place: string): Generator<Entry> {
  let opened;
  try {
    opened = opendirSync(place);
  } catch {
    // A folder that can't be read is not searched either.
    return;
  }
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}

/** True if an ignore file of the folder takes something back: ripgrep then opens it even if it is hidden. */
function takesBack(folder: string): boolean {
  return [".gitignore", ".ignore", ".rgignore", ".git/info/exclude"].some((name) => {
    const path = join(folder, name);
    try {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) return false;
      if (!found.isFile() || found.size > maxIgnoreFile) return true;
      return readFileSync(path, "utf8")
        .split(/\r?\n/)
        .some((line) => line.trim().startsWith("!") && !isSurelyOpen(line));
    } catch {
      return true;
    }
  });
}

/** True for a name that is not hidden, for a sample, and for a file of git. */
function isSurelyOpen(line: string): boolean {
  const name = /^!\/?(?:[\w-][\w.-]*\/)*([\w.-]+)\/?$/.exec(line)?.[1] ?? ".";
  return (
    !name.startsWith(".") ||
    /^\.(?:gitignore|gitkeep|keep)$/.test(name) ||
    (name.startsWith(".env.") && !isSecretFile(name))
  );
}

function foldersUpFrom(place: string): readonly string[] {
  const above = dirname(place);
  return above === place ? [place] : [place, ...foldersUpFrom(above)];
}

/** The folders that the root's .gitignore certainly leaves out: nothing takes anything back. */
function ignoredIn(root: string): readonly string[] {
  try {
    if (!existsSync(join(root, ".git")) || [".ignore", ".rgignore"].some((name) => existsSync(join(root, name))))
      return [];
    const path = join(root, ".gitignore");
    const found = lstatSync(path);
    // A named pipe would be waited for.
    if (!found.isFile() || found.size > maxIgnoreFile) return [];
    const lines = readFileSync(path, "utf8").split(/\r?\n/);
    if (lines.some((line) => line.startsWith("!"))) return [];
    return lines.flatMap((line) => {
      const name = /^\/?([\w.-]+)\/?$/.exec(line)?.[1];
      return name === undefined ? [] : [join(root, name)];
    });
  } catch {
    return [];
  }
}

/** The pattern of an `--include`; undefined if it is more than a name with `*`. */
function wildsOf(pattern: string): readonly Wild[] | undefined {
  if (!/^[\w.*-]+$/.test(pattern)) return undefined;
  return Array.from(pattern).flatMap((char) => (char === "*" ? [wildOf("*")] : literally(char)));
}
