// Says what speaks against a command that seems only to read and print.

import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { expand } from "../../files/index.js";
import { gitCommandOf, contentOptions, pathsOfRevisions } from "../command/git-commands.js";
import { argumentsOf, type Arguments } from "../command/program-options.js";
import { safePrograms, type SafeProgram } from "../command/programs.js";
import type { Work } from "../command/decision-work.js";
import { behindTimeout } from "../command/wrappers.js";
import type { CommandLaw } from "../rules/law.js";
import { within } from "../rules/place.js";
import { isSecretFile } from "../../files/index.js";
import type { ExpandedCommand } from "./expand-command.js";
import { lookAtRepository, type Repository } from "./git-repository.js";
import { searchOfGrep, searchOfRipgrep, secretIn } from "./secret-look.js";
import { astrayIn } from "./touched-files.js";

/** The most searches that one decision looks through for secrets. */
export const maxSearches = 8;

/** The looks that one decision takes at files. */
export interface Looks {
  readonly repositories: Map<string, Repository>;
  /** Whether a shell finds a program, by its folder and name. */
  readonly programs: Map<string, boolean>;
  /** The number of searches that may still be looked through. */
  searches: number;
}

/** The folder that a command runs in, and the looks that are left. */
export interface Scene {
  readonly folder: string;
  readonly looks: Looks;
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
  if (name === "git") return harmOfGit(law, rest, scene);
  const program = safePrograms.get(name);
  if (program === undefined) return unknown;
  const isFound = (program.isBuiltIn === true && !isStarted) || isInstalled(law, name, scene);
  if (!isFound || (program.runBy !== undefined && !isInstalled(law, program.runBy, scene))) return unknown;
  law.work.spend(stepsOfProgram + rest.length * stepsOfWord);
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
  { root, files, work }: CommandLaw,
  { searches, obeys }: SafeProgram,
  words: readonly string[],
  folder: string,
): string | undefined {
  if (files.read.length > 0 && searches?.test(words.join(" ")) === true)
    return "it may print files that a rule forbids";
  for (let at = folder; obeys !== undefined; at = dirname(at)) {
    work.spend(obeys.length * stepsOfLook);
    const found = obeys.find((name) => statSync(join(at, name), { throwIfNoEntry: false }) !== undefined);
    if (found !== undefined) return `it obeys ${found}`;
    if (at === root || dirname(at) === at) break;
  }
  return undefined;
}

/** Words for a file with secrets that a search prints although nobody names it; undefined if there is none. */
export function secretOf(
  { root, work }: CommandLaw,
  [name = "", ...rest]: readonly string[],
  scene: Scene,
): string | undefined {
  const program = safePrograms.get(name);
  const sorted = program?.look && argumentsOf(program, rest);
  if (sorted === undefined) return undefined;
  const search = program?.look === "grep" ? searchOfGrep(sorted) : searchOfRipgrep(sorted);
  if (search === undefined) return undefined;
  if ((scene.looks.searches -= 1) < 0) return "it searches too often to look for secrets";
  return secretIn(root, scene.folder, search, work);
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
  const repository = looks.repositories.get(folder) ?? lookAtRepository(law.root, folder, law.work);
  looks.repositories.set(folder, repository);
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

/** True for a file of the index that is likely to hold secrets. */
function isSecretIn({ work }: CommandLaw, path: string): boolean {
  work.spend(stepsOfName);
  return isSecretFile(path);
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

/**
 * True if a shell finds the program outside the workspace. A program in the workspace, or in a relative folder of
 * `PATH`, may not be the one that its name promises.
 */
export function isInstalled(law: CommandLaw, name: string, { folder, looks }: Scene): boolean {
  const key = `${folder}\0${name}`;
  const known = looks.programs.get(key);
  law.work.spend(1);
  if (known !== undefined) return known;
  const found = find(law, name, folder);
  looks.programs.set(key, found);
  return found;
}

function find({ root, path, work }: CommandLaw, name: string, folder: string): boolean {
  if (name.includes("/")) return false;
  for (const place of path.split(":")) {
    work.spend(stepsOfLook);
    const file = join(isAbsolute(place) ? place : resolve(folder, place), name);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    return isAbsolute(place) && [place, file].every((path) => within(root, realpathSync.native(path)) === undefined);
  }
  return false;
}
