// Says what speaks against a command that seems only to read and print.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expand, isSecretAt, isSecretFile } from "../../files/index.js";
import { gitCommandOf, contentOptions, pathsOfRevisions } from "../command/git-commands.js";
import { argumentsOf, type Arguments } from "../command/program-options.js";
import { safePrograms, type SafeProgram } from "../command/programs.js";
import type { Work } from "../command/decision-work.js";
import { behindTimeout } from "../command/wrappers.js";
import { fedByFind, fedByXargs, standIns, type FedProgram, type Separator } from "../command/fed-programs.js";
import { listedByFind, listingOf, type Listing } from "../command/listings.js";
import { unknownText } from "../command/words.js";
import { areAllOutside, fileAbove, fileAtHome, findProgram, type Found } from "../rules/installed.js";
import type { CommandLaw } from "../rules/law.js";
import type { ExpandedCommand } from "./expand-command.js";
import { lookAtRepository, type Repository } from "./git-repository.js";
import { strangeAmong } from "./fed-files.js";
import { searchOfGrep, searchOfRipgrep, secretIn } from "./secret-look.js";
import { astrayIn } from "./touched-files.js";

/** The most searches that one decision looks through for secrets. */
export const maxSearches = 8;

/** The looks that one decision takes at files. */
export interface Looks {
  readonly repositories: Map<string, Repository>;
  /** The programs that a shell finds or not, by their folder and name. */
  readonly programs: Map<string, Found>;
  /** The number of searches that may still be looked through. */
  searches: number;
}

/** The folder that a command runs in, and the looks that are left. */
export interface Scene {
  readonly folder: string;
  readonly looks: Looks;
  /** The words of the programs whose output the command gets, the first program first; undefined if nobody can tell. */
  readonly feeders?: readonly (readonly string[])[] | undefined;
}

/** The steps of a program whose words are sorted, of each word, of a look at a file, and of a name in the index of git. */
const stepsOfProgram = 5;
const stepsOfWord = 0.5;
const stepsOfLook = 12;
const stepsOfName = 1;

const unknown = "it is none of the programs that only read and print";

/** Why a command may do more than read and print in its folder; undefined if it does not. */
export async function harmOf(law: CommandLaw, command: ExpandedCommand, scene: Scene): Promise<string | undefined> {
  const { folder } = scene;
  // A pattern may stand for any number of names, so that the word after it has another meaning.
  const astray = await astrayIn(law, [...command.reads, ...command.found], { folder, mayWrite: false });
  if (astray !== undefined) return `it reads ${astray}`;
  const { words } = command;
  // The input of a loop, which is no program.
  if (words.length === 0) return undefined;
  const behind = behindTimeout(words);
  if (behind === undefined) return harmOfProgram(law, words, scene, false);
  return isInstalled(law, "timeout", scene) ? harmOfProgram(law, behind, scene, true) : unknown;
}

async function harmOfProgram(
  law: CommandLaw,
  words: readonly string[],
  scene: Scene,
  isStarted: boolean,
): Promise<string | undefined> {
  const { folder } = scene;
  const [name = "", ...rest] = words;
  const program = safePrograms.get(name);
  if (name !== "git" && program === undefined) return unknown;
  if (rest.some((word) => word.includes(unknownText)) && !takesUnknown(name, program))
    return `${name} gets words that nobody can tell`;
  if (program === undefined) return harmOfGit(law, rest, scene);
  const isBuiltIn = program.isBuiltIn === true && !isStarted;
  for (const one of [...(isBuiltIn ? [] : [name]), ...(program.runBy === undefined ? [] : [program.runBy])]) {
    if (!isInstalled(law, one, scene)) return unknown;
    const chooser = chooserOf(law, one, scene);
    if (chooser !== undefined) return `${chooser} chooses which ${one} runs`;
  }
  law.work.spend(stepsOfProgram + rest.length * stepsOfWord);
  const feeding = feedingOf(name, rest, scene);
  if (feeding !== undefined) return harmOfFeeding(law, feeding, scene);
  const sorted = argumentsOf(program, rest);
  if (sorted === undefined) return `${name} has words that are not known to only read and print`;
  return (
    (await harmOfPaths(law, program, sorted, folder)) ??
    harmOfSearch(law, program, rest, folder) ??
    secretOf(law, words, scene)
  );
}

async function harmOfPaths(
  law: CommandLaw,
  program: SafeProgram,
  { paths }: Arguments,
  folder: string,
): Promise<string | undefined> {
  if (program.opensFolders && paths.some((path) => isFolder(resolve(folder, expand(path)), law.work)))
    return "it opens files that nobody names";
  const astray = await astrayIn(law, paths, { folder, mayWrite: false });
  return astray === undefined ? undefined : `it reads ${astray}`;
}

function harmOfSearch(
  law: CommandLaw,
  { searches, startsOthers, heeds, obeys = [], chosenBy = [] }: SafeProgram,
  words: readonly string[],
  folder: string,
): string | undefined {
  const { root, files } = law;
  if (files.read.length > 0 && searches?.test(words.join(" ")) === true)
    return "it may print files that a rule forbids";
  const given = Object.keys(law.variables).find((name) => heeds?.test(name));
  if (given !== undefined) return `its tool gives it ${given}`;
  if (startsOthers && !areAllOutside(law)) return "it starts programs that may be in the workspace";
  const found =
    fileAbove(law.work, obeys, { from: folder, to: root }) ??
    fileAtHome(obeys, root) ??
    fileAbove(law.work, chosenBy, { from: folder, to: "/" });
  return found === undefined ? undefined : `it obeys ${found}`;
}

/** True for a program that takes any text for what it prints, and for a program whose words are read one by one. */
function takesUnknown(name: string, program: SafeProgram | undefined): boolean {
  return program?.takesAnything === true || /^(?:printf|test|\[)$/.test(name);
}

/** A program that is run on files, the files, and how their names get there. */
interface Feeding {
  /** The program that runs it, with its own words; undefined if these were judged before. */
  readonly own: readonly (readonly string[])[];
  readonly fed: FedProgram;
  readonly listing: Listing;
  readonly splits: Separator;
}

/** xargs behind a program that lists files, or `find -exec`; undefined for anything else. */
function feedingOf(name: string, words: readonly string[], { feeders }: Scene): Feeding | undefined {
  if (name === "find") {
    const fed = fedByFind(words);
    const listing = fed && listedByFind(fed.before, true);
    if (fed === undefined || listing === undefined) return undefined;
    const own = [fed.before, [...fed.before, ...fed.after]].map((one) => ["find", ...one]);
    return { own, fed, listing, splits: "nuls" };
  }
  const fed = name === "xargs" && feeders !== undefined ? fedByXargs(words) : undefined;
  const listing = fed && listingOf(feeders ?? []);
  const isSame = fed !== undefined && (listing?.ends === "nuls") === (fed.splits === "nuls");
  return listing !== undefined && isSame ? { own: [], fed, listing, splits: fed.splits } : undefined;
}

async function harmOfFeeding(law: CommandLaw, feeding: Feeding, scene: Scene): Promise<string | undefined> {
  const { own, fed, listing, splits } = feeding;
  if (law.files.read.length > 0) return "it may print files that a rule forbids";
  for (const words of own) {
    const harm = await harmOfProgram(law, words, scene, true);
    if (harm !== undefined) return harm;
  }
  for (const words of fed.calls) {
    const harm = opensMore(words) ?? (await harmOfProgram(law, words, { ...scene, feeders: undefined }, true));
    if (harm !== undefined) return harm;
  }
  const { folder, looks } = scene;
  if ((looks.searches -= 1) < 0) return "it hands on names too often to look at them";
  const repository = listing.from === "index" ? repositoryOf(law, folder, looks) : undefined;
  if (repository?.is === "refused") return `git may do more than read: ${repository.reason}`;
  return strangeAmong(law, listing, splits, { folder, tracked: repository?.index.names ?? [] });
}

/**
 * Words for a program that takes the names for anything else than files to open, or opens what is in them; undefined for all other
 * programs.
 */
function opensMore([name = "", ...rest]: readonly string[]): string | undefined {
  const program = safePrograms.get(name);
  const sorted = program && argumentsOf(program, rest);
  if (sorted === undefined) return `${name} is run with words that are not known to only read and print`;
  const isSearch = program?.look === "ripgrep" || (program?.look === "grep" && searchOfGrep(sorted) !== undefined);
  if (isSearch || program?.opensFolders || /^(?:xargs|find)$/.test(name))
    return `${name} may open files that nobody names`;
  const given = rest.filter((word) => standIns.includes(word));
  const isText = program?.takesAnything === true || program?.words === "text";
  return isText || given.every((word) => sorted.targets.includes(word))
    ? undefined
    : `${name} takes a name for an option`;
}

/** Words for a file with secrets that a search prints although nobody names it; undefined if there is none. */
export function secretOf(
  { root, work, protector }: CommandLaw,
  [name = "", ...rest]: readonly string[],
  scene: Scene,
): string | undefined {
  const program = safePrograms.get(name);
  const sorted = program?.look && argumentsOf(program, rest);
  if (sorted === undefined) return undefined;
  const search = program?.look === "grep" ? searchOfGrep(sorted) : searchOfRipgrep(sorted);
  if (search === undefined) return undefined;
  if ((scene.looks.searches -= 1) < 0) return "it searches too often to look for secrets";
  return secretIn(root, scene.folder, search, { work, isLinkedSecret: (path) => protector.isLinkedSecret(root, path) });
}

function repositoryOf({ root, work }: CommandLaw, folder: string, looks: Looks): Repository {
  const repository = looks.repositories.get(folder) ?? lookAtRepository(root, folder, work);
  looks.repositories.set(folder, repository);
  return repository;
}

async function harmOfGit(law: CommandLaw, words: readonly string[], scene: Scene): Promise<string | undefined> {
  const { folder, looks } = scene;
  if (!isInstalled(law, "git", scene)) return unknown;
  law.work.spend(stepsOfProgram + words.length * stepsOfWord);
  if (/^(?:--version|-v)$/.test(words.join(" "))) return undefined;
  const called = gitCommandOf(words);
  const sorted = called && argumentsOf(called.command, called.words);
  if (called === undefined || sorted === undefined)
    return "it is none of the commands of git that are known to only read";
  const repository = repositoryOf(law, folder, looks);
  if (repository.is === "refused") return `git may do more than read: ${repository.reason}`;
  const prints = called.command.prints ?? (contentOptions.some((name) => sorted.options.has(name)) ? "any" : undefined);
  if (prints !== undefined && law.files.read.length > 0) return "it may print files that a rule forbids";
  const secret = prints === "any" ? repository.index.names.find((path) => isSecretIn(law, path)) : undefined;
  const isSurelyCommit = sorted.operands.every((word) => /^(?:HEAD|@)[~^\d]*$/.test(word));
  const isListed = isList(sorted) && (called.command.printsObjects !== true || isSurelyCommit);
  if (secret !== undefined && !isListed) return `it may print ${secret}, which is likely to hold secrets`;
  const paths = [...sorted.paths, ...pathsOfRevisions(sorted.operands)];
  const astray = await astrayIn(law, paths, { folder, mayWrite: false });
  return astray === undefined ? undefined : `it reads ${astray}`;
}

/** True if git prints names and numbers alone, because of the options. */
function isList({ options }: Arguments): boolean {
  const lists = ["stat", "numstat", "shortstat", "name-only", "name-status", "summary", "s", "no-patch", "quiet"];
  return lists.some((name) => options.has(name)) && !contentOptions.some((name) => options.has(name));
}

/** True for a file of the index that is likely to hold secrets. A file of settings is looked into, as it is now. */
function isSecretIn({ root, work }: CommandLaw, path: string): boolean {
  work.spend(stepsOfName);
  if (!isSecretFile(path)) return false;
  work.spend(stepsOfLook);
  return isSecretAt(path, join(root, path));
}

/** True if the path is a folder, or can't be looked up. */
function isFolder(path: string, work: Work): boolean {
  work.spend(stepsOfLook);
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return true;
  }
}

/** Whether a shell finds a program, and how it is chosen. */
function foundIn(law: CommandLaw, name: string, { folder, looks }: Scene): Found {
  const key = `${folder}\0${name}`;
  const known = looks.programs.get(key);
  law.work.spend(1);
  if (known !== undefined) return known;
  const found = findProgram(law, name, folder);
  looks.programs.set(key, found);
  return found;
}

/**
 * True if a shell finds the program outside the workspace. A program in the workspace, or in a relative folder of
 * `PATH`, may not be the program that its name promises.
 */
export function isInstalled(law: CommandLaw, name: string, scene: Scene): boolean {
  return foundIn(law, name, scene).isOutside;
}

/** The file by which the workspace, or a folder above it, chooses what runs under the name; undefined if there is none. */
export function chooserOf(law: CommandLaw, name: string, scene: Scene): string | undefined {
  return foundIn(law, name, scene).chooser;
}
