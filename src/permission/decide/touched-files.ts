// Finds the files that a command names, and those of them that are forbidden or outside its limits.

import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { expand } from "../../files/index.js";
import type { CommandLaw } from "../rules/law.js";
import { resolvePath, type ResolvedPath } from "../rules/place.js";
import { forbidsCommand, programsIn } from "../rules/forbids-command.js";
import type { Access, Rule } from "../rules/rule.js";
import { pathsIn } from "../command/program-options.js";
import { safePrograms } from "../command/programs.js";
import type { ParsedCommand, SimpleCommand } from "../command/read-command.js";
import type { Word } from "../command/words.js";
import { writtenBy } from "../command/written-paths.js";
import { expandCommand, type ExpandedCommand } from "./expand-command.js";

/** Why a command must not run, whatever an approver says. */
export interface Forbidden {
  readonly by: "rule" | "protected";
  readonly reason: string;
}

/** The longest path that Linux opens, in bytes. Longer ones are not looked up: that would take seconds. */
const maxPathLength = 4096;

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
  const expands = isUnderstood && !isTooMuch(commands);
  /** Every folder that a `cd` may have reached: nobody knows which of the commands ran, and how they ended. */
  let folders: readonly string[] = [start];
  for (const command of commands) {
    const moved = new Set(folders);
    for (const folder of folders.length > maxFolders ? folders.slice(0, 1) : folders) {
      for (const one of expands ? formsOf(command, law.root, folder) : [command]) {
        const rule = law.deny.find(
          (deny) => deny.command !== undefined && forbidsCommand(deny.command, { ...command, words: one.words }, ""),
        );
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

/** The command with its words expanded; or as it is written, if nobody can tell what a shell makes of it. */
function formsOf(command: SimpleCommand, root: string, folder: string): readonly Form[] {
  const expansion = expandCommand(command, { root, folder });
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
    ...[...writes, ...writtenIn(words, folder)].map((path) => ({ access: "write", path }) as const),
    ...reads.map((path) => ({ access: "read", path }) as const),
  ];
  for (const { access, path } of touched) {
    if (count > maxFolders)
      return {
        by: access === "read" ? "rule" : "protected",
        reason: `it changes folders so often that nobody can tell what ${JSON.stringify(path)} is`,
      };
    const forbidden = await forbidsTouching(law, access, path, folder);
    if (forbidden !== undefined) return forbidden;
  }
  return undefined;
}

/** The most patterns and loops of one text. */
const maxLooks = 32;

/** True if expanding all of the commands would take too long. */
export function isTooMuch(commands: readonly SimpleCommand[]): boolean {
  const patternsIn = (words: readonly Word[]): number =>
    words.filter(({ parts }) => parts.some(({ is }) => is === "pattern")).length;
  const looks = commands.map(
    ({ parts, loops }) => patternsIn(parts) + loops.reduce((sum, { words }) => sum + 1 + patternsIn(words), 0),
  );
  return looks.reduce((sum, count) => sum + count, 0) > maxLooks;
}

/** The files that the programs of a command change, behind `sudo` and its like, too. */
function writtenIn(words: readonly string[], folder: string): readonly string[] {
  return [...programsIn(words)].flatMap((index) =>
    writtenBy(words.slice(index), (path) => path.length <= maxPathLength && isFolder(reached(path, folder))),
  );
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Nothing that a program could write into is there.
    return false;
  }
}

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
  const target = await resolvePath(law.root, reached(path, folder));
  // A program that gets a folder may read the files in it.
  const within = await resolvePath(law.root, reached(`${path}/any`, folder));
  const rule =
    forbiddingFile(law, access, target) ?? (access === "read" ? forbiddingFile(law, access, within) : undefined);
  if (rule !== undefined) return { by: "rule", reason: `the rule ${rule.text} forbids ${JSON.stringify(path)}` };
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
    const path = reached(word, folder);
    const target = await resolvePath(law.root, path);
    // A `..` after a link leads to another folder than the text suggests.
    const isAsWritten = path === resolve(folder, expand(word));
    if (target.inside === undefined || !isAsWritten) return "paths outside the workspace";
    if (law.protector.isSecret(law.root, target)) return "files with secrets";
    if (!mayWrite) continue;
    if (law.protector.written(law.root, target) !== undefined) return "protected paths";
    if (forbiddingFile(law, "read", target) ?? forbiddingFile(law, "write", target)) return "files that a rule forbids";
  }
  return undefined;
}

function forbiddingFile({ root, files }: CommandLaw, access: Access, target: ResolvedPath): Rule | undefined {
  return files[access].find(({ meansAll, paths }) => meansAll || paths?.forbids(root, target) === true);
}

/** The path that a program in a folder opens for a word: `link/..` is the parent folder of the link's target. */
function reached(word: string, folder: string): string {
  const path = expand(word);
  return path
    .split("/")
    .reduce((at, part) => (part === ".." ? dirname(real(at)) : join(at, part)), isAbsolute(path) ? "/" : folder);
}

function real(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    // The path does not exist, so no link leads away from it.
    return path;
  }
}
