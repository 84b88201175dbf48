// Finds the files that a command names, and which of these files are forbidden or outside its limits.

import { statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { expand } from "../../files/index.js";
import type { CommandLaw } from "../rules/law.js";
import type { ResolvedPath } from "../rules/place.js";
import { forbidsCommand, programsIn } from "../rules/forbids-command.js";
import type { Access, Rule } from "../rules/rule.js";
import { pathsIn } from "../command/program-options.js";
import { safePrograms } from "../command/programs.js";
import type { ParsedCommand, SimpleCommand } from "../command/read-command.js";
import type { Work } from "../command/decision-work.js";
import { writtenBy } from "../command/written-paths.js";
import { expandCommand, type ExpandedCommand } from "./expand-command.js";

/** Why a command must not run, whatever an approver says. */
export interface Forbidden {
  readonly by: "rule" | "protected";
  readonly reason: string;
}

/** The longest path that Linux opens, in bytes. Longer paths are not looked up: that would take seconds. */
export const maxPathLength = 4096;

/** With more possible folders than this, the files that a command touches can't be determined. */
const maxFolders = 64;

/**
 * Finds a command that a rule forbids once its words are expanded. Finds a forbidden file among the files that output is
 * redirected to, that input comes from, or that a program gets as arguments. Any word of an unknown program may be a file
 * that it reads.
 */
export async function touchesForbidden(
  law: CommandLaw,
  { commands, isUnderstood }: ParsedCommand,
  start: string,
): Promise<Forbidden | undefined> {
  const { work } = law;
  const expands = isUnderstood && !isTooMuch(commands, work);
  /** Every folder that a `cd` may have reached: nobody knows which of the commands ran, and how they ended. */
  let folders: readonly string[] = [start];
  for (const command of commands) {
    await work.pause();
    const moved = new Set(folders);
    work.spend(folders.length * stepsOfWord);
    for (const folder of folders.length > maxFolders ? folders.slice(0, 1) : folders) {
      work.spend(stepsOfCommand + folder.length * stepsOfCharacter);
      for (const one of expands ? formsOf(command, law, folder) : [command]) {
        const rule = law.deny.find((deny) => deny.command !== undefined && forbidsCommand(deny.command, one, "", work));
        if (rule !== undefined) return { by: "rule", reason: `the rule ${rule.text} forbids it` };
        const forbidden = await touches(law, { ...one, writes: command.writes }, folder, folders.length);
        if (forbidden !== undefined) return forbidden;
        const target = one.words[0] === "cd" ? one.words.slice(1).find((word) => !word.startsWith("-")) : undefined;
        if (target !== undefined) moved.add(resolve(folder, expand(target)));
      }
    }
    if (folders.length <= maxFolders) folders = [...moved];
  }
  return undefined;
}

type Form = Pick<ExpandedCommand, "words" | "reads">;

/** The command with its words expanded; or as it is written, if nobody can tell what the words become in a shell. */
function formsOf(command: SimpleCommand, { root, work }: CommandLaw, folder: string): readonly Form[] {
  const expansion = expandCommand(command, { root, folder, work });
  return expansion.is === "known" ? expansion.commands : [command];
}

async function touches(
  law: CommandLaw,
  { words, reads: inputs, writes }: Form & { readonly writes: readonly string[] },
  folder: string,
  count: number,
): Promise<Forbidden | undefined> {
  const reads = law.files.read.length === 0 ? [] : [...inputs, ...readBy(words)];
  const touched = [
    ...[...writes, ...writtenIn(law, words, folder)].map((path) => ({ access: "write", path }) as const),
    ...reads.map((path) => ({ access: "read", path }) as const),
  ];
  for (const { access, path } of touched) {
    if (count > maxFolders)
      return {
        by: access === "read" ? "rule" : "protected",
        reason: `it changes folders so often that nobody can tell what ${JSON.stringify(path)} is`,
      };
    await law.work.pause();
    const forbidden = await forbidsTouching(law, access, path, folder);
    if (forbidden !== undefined) return forbidden;
  }
  return undefined;
}

/** The most patterns and loops of one text. */
const maxLooks = 32;

/** True if expanding all of the commands would take too long. */
export function isTooMuch(commands: readonly SimpleCommand[], work: Work): boolean {
  let looks = 0;
  for (const { parts, loops } of commands)
    for (const words of [parts, ...loops.map((loop) => loop.words)]) {
      work.spend(stepsOfCommand + words.length * stepsOfWord);
      if (words !== parts) looks += 1;
      for (const word of words) if (word.parts.some(({ is }) => is === "pattern")) looks += 1;
      if (looks > maxLooks) return true;
    }
  return false;
}

/** The files that the programs of a command change, behind `sudo` and its like, too. */
function writtenIn(law: CommandLaw, words: readonly string[], folder: string): readonly string[] {
  const written: string[] = [];
  for (const index of programsIn(words)) {
    law.work.spend((words.length - index) * stepsOfWord);
    const found = writtenBy(
      words.slice(index),
      (path) => path.length <= maxPathLength && isFolder(reached(law, path, folder), law.work),
    );
    for (const path of found) written.push(path);
  }
  return written;
}

/** True if a folder is there, or a link to one. */
export function isFolder(path: string, work: Work): boolean {
  work.spend(stepsOfLook);
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Nothing that a program could go or write into is there.
    return false;
  }
}

/**
 * The steps of a command, of a character of its folder, of a path, of a word, of a look at a file, of a rule or list that a path is held
 * against, and of a look for secrets.
 */
const stepsOfCommand = 10;
const stepsOfCharacter = 0.03;
const stepsOfPath = 1;
const stepsOfWord = 0.2;
const stepsOfLook = 12;
const stepsOfRule = 8;
const stepsOfSecret = 15;

function readBy([name = "", ...rest]: readonly string[]): readonly string[] {
  const program = safePrograms.get(name);
  const known = program && (pathsIn(program, rest) ?? (program.words === "text" ? [] : undefined));
  const paths = known ?? rest.map(valueOf);
  return paths.filter((path) => path !== "" && path !== "-");
}

async function forbidsTouching(
  law: CommandLaw,
  access: Access,
  path: string,
  folder: string,
): Promise<Forbidden | undefined> {
  // No program can open such a path.
  if (path.length > maxPathLength) return undefined;
  const place = reached(law, path, folder);
  const target = await law.lookup.resolve(place);
  // A program that gets a folder may read the files in it.
  const within = access === "read" ? await law.lookup.resolve(join(place, "any")) : undefined;
  const rule = forbiddingFile(law, access, target) ?? (within && forbiddingFile(law, access, within));
  if (rule !== undefined) return { by: "rule", reason: `the rule ${rule.text} forbids ${JSON.stringify(path)}` };
  if (access === "write") law.work.spend(stepsOfRule * 2);
  const protection = access === "write" ? law.protector.written(law.root, target) : undefined;
  return protection?.how === "never"
    ? { by: "protected", reason: `it writes to ${path}, and ${protection.name} is protected` }
    : undefined;
}

/** The value after the `=` of an option, or the word itself. */
export function valueOf(word: string): string {
  return word.startsWith("-") ? word.replace(/^-[^=/~]*=?/, "") : word;
}

/** Words for the first argument that is a path which must not be touched; undefined if there is none. */
export async function astrayIn(
  law: CommandLaw,
  words: readonly string[],
  { folder, mayWrite }: { readonly folder: string; readonly mayWrite: boolean },
): Promise<string | undefined> {
  for (const word of words) {
    if (word === "" || word === "-") continue;
    if (/^[a-z][a-z+.-]*:\/\//i.test(word)) return "addresses";
    if (word.length > maxPathLength) return "paths that are too long";
    if (word.includes("\0")) return "files whose names only the shell knows";
    // Words without a slash are resolved as well: a link of that name may lead anywhere.
    await law.work.pause();
    const path = reached(law, word, folder);
    const target = await law.lookup.resolve(path);
    // A `..` after a link leads to another folder than the text suggests.
    const isAsWritten = path === resolve(folder, expand(word));
    if (target.inside === undefined || !isAsWritten) return "paths outside the workspace";
    if (isSecret(law, target)) return "files with secrets";
    if (!mayWrite) continue;
    law.work.spend(stepsOfRule * 2);
    if (law.protector.written(law.root, target) !== undefined) return "protected paths";
    if (forbiddingFile(law, "read", target) ?? forbiddingFile(law, "write", target)) return "files that a rule forbids";
  }
  return undefined;
}

/** The looks for secrets that decisions took. Each has its own targets. */
const looked = new WeakMap<ResolvedPath, boolean>();

function isSecret({ root, protector, work }: CommandLaw, target: ResolvedPath): boolean {
  const known = looked.get(target);
  if (known !== undefined) return known;
  work.spend(stepsOfSecret);
  const found = protector.isSecret(root, target);
  looked.set(target, found);
  return found;
}

function forbiddingFile({ root, files, work }: CommandLaw, access: Access, target: ResolvedPath): Rule | undefined {
  work.spend(files[access].length * stepsOfRule);
  return files[access].find(({ meansAll, paths }) => meansAll || paths?.forbids(root, target) === true);
}

/** The path that a program in a folder opens for a word: `link/..` is the parent folder of the link's target. */
function reached({ lookup, work }: CommandLaw, word: string, folder: string): string {
  const path = expand(word);
  const parts = path.split("/");
  work.spend(stepsOfPath + parts.length * stepsOfWord);
  let at = isAbsolute(path) ? "/" : folder;
  let from = 0;
  for (const [index, part] of parts.entries()) {
    if (part !== "..") continue;
    at = dirname(lookup.real(join(at, ...parts.slice(from, index))));
    from = index + 1;
  }
  return join(at, ...parts.slice(from));
}
