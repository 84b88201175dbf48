// Touched files: what is forbidden, or none of a command's business, of the files that its words name.

import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { expand } from "../../files/index.js";
import type { CommandLaw } from "../rules/law.js";
import { placeOf, type Place } from "../rules/place.js";
import type { Access, Rule } from "../rules/rule.js";
import { pathsIn } from "../command/program-options.js";
import { safePrograms } from "../command/programs.js";
import type { Reading } from "../command/read-command.js";

/** Why a command must not run, whoever says yes. */
export interface Forbidden {
  readonly by: "rule" | "protected";
  readonly reason: string;
}

/** Whoever may be in more folders than this hides where: what is touched from there can't be told. */
const mostFolders = 64;

/** Says what forbids a file that output is sent to, or that a program which only reads is given: as far as that can be read. */
export async function touchesForbidden(
  law: CommandLaw,
  { commands }: Reading,
  start: string,
): Promise<Forbidden | undefined> {
  /** All that a `cd` may have led to: nobody knows which of them ran, and how they ended. */
  let folders: readonly string[] = [start];
  for (const { words, writes } of commands) {
    const reads = law.files.read.length === 0 ? [] : readBy(words);
    const touched = [
      ...writes.map((path) => ({ access: "write", path }) as const),
      ...reads.map((path) => ({ access: "read", path }) as const),
    ];
    for (const { access, path } of touched) {
      const forbidden = await forbidsTouching(law, access, path, folders);
      if (forbidden !== undefined) return forbidden;
    }
    const target = words[0] === "cd" ? words.slice(1).find((word) => !word.startsWith("-")) : undefined;
    if (target !== undefined && folders.length <= mostFolders)
      folders = [...new Set([...folders, ...folders.map((folder) => resolve(folder, expand(target)))])];
  }
  return undefined;
}

function readBy([name = "", ...rest]: readonly string[]): readonly string[] {
  const program = safePrograms.get(name);
  if (program === undefined) return [];
  const paths = pathsIn(program, rest) ?? (program.words === undefined ? rest.map(valueOf) : []);
  return paths.filter((path) => path !== "" && path !== "-");
}

async function forbidsTouching(
  law: CommandLaw,
  access: Access,
  path: string,
  folders: readonly string[],
): Promise<Forbidden | undefined> {
  if (folders.length > mostFolders)
    return {
      by: access === "read" ? "rule" : "protected",
      reason: `it changes folders so often that nobody can tell what ${JSON.stringify(path)} is`,
    };
  for (const folder of folders) {
    const place = await placeOf(law.root, reached(path, folder));
    const rule = forbiddingFile(law, access, place);
    if (rule !== undefined) return { by: "rule", reason: `the rule ${rule.text} forbids ${JSON.stringify(path)}` };
    const found = access === "write" ? law.protector.written(law.root, place) : undefined;
    if (found?.how === "never")
      return { by: "protected", reason: `it writes to ${path}, and ${found.name} is protected` };
  }
  return undefined;
}

/** What stands behind the `=` of an option, or the word itself. */
export function valueOf(word: string): string {
  return word.startsWith("-") ? word.replace(/^-[^=/~]*=?/, "") : word;
}

/** The first of the words that is a path which must not be touched, or undefined. */
export async function astrayIn(
  law: CommandLaw,
  words: readonly string[],
  { folder, mayWrite }: { readonly folder: string; readonly mayWrite: boolean },
): Promise<string | undefined> {
  for (const word of words) {
    if (word === "" || word === "-") continue;
    if (/^[a-z][a-z+.-]*:\/\//i.test(word)) return "addresses";
    // Bare words are looked up as well: a link of that name may lead anywhere.
    const path = reached(word, folder);
    const place = await placeOf(law.root, path);
    // What goes up from a link is not where it seems to be.
    const isAsWritten = path === resolve(folder, expand(word));
    if (place.inside === undefined || !isAsWritten) return "paths outside the workspace";
    if (law.protector.isSecret(law.root, place)) return "files with secrets";
    if (!mayWrite) continue;
    if (law.protector.written(law.root, place) !== undefined) return "protected paths";
    if (forbiddingFile(law, "read", place) ?? forbiddingFile(law, "write", place)) return "files that a rule forbids";
  }
  return undefined;
}

function forbiddingFile({ root, files }: CommandLaw, access: Access, place: Place): Rule | undefined {
  return files[access].find(({ meansAll, paths }) => meansAll || paths?.forbids(root, place) === true);
}

/** The path that a program in a folder reaches by a word: `link/..` is the folder above what the link leads to. */
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
    // There is nothing that it could lead away from.
    return path;
  }
}
