// Touched files: what is forbidden, or none of a command's business, of the files that its words name.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { expand } from "../../files/index.js";
import type { CommandLaw } from "../law.js";
import { placeOf, type Place } from "../place.js";
import type { Access, Rule } from "../rule.js";
import { pathsIn } from "./options.js";
import { safePrograms } from "./programs.js";
import type { Reading } from "./read-command.js";

/** Why a command must not run, whoever says yes. */
export interface Forbidden {
  readonly by: "rule" | "protected";
  readonly reason: string;
}

/** Says what forbids a file that output is sent to, or that a program which only reads is given: as far as that can be read. */
export async function touchesForbidden(
  law: CommandLaw,
  { commands }: Reading,
  start: string,
): Promise<Forbidden | undefined> {
  let folder = start;
  for (const { words, writes } of commands) {
    for (const target of writes) {
      const forbidden = await forbidsTouching(law, "write", target, [...new Set([start, folder])]);
      if (forbidden !== undefined) return forbidden;
    }
    for (const path of law.files.read.length === 0 ? [] : readBy(words)) {
      const forbidden = await forbidsTouching(law, "read", path, [...new Set([start, folder])]);
      if (forbidden !== undefined) return forbidden;
    }
    const [program, target] = words;
    if (program === "cd" && target !== undefined) folder = resolve(folder, expand(target));
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
  for (const folder of folders) {
    const place = await placeOf(law.root, path, folder);
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
    // Bare words are looked up as well: a link of that name may lead anywhere.
    const place = await placeOf(law.root, word, folder);
    if (/^[a-z][a-z+.-]*:\/\//i.test(word)) return "addresses";
    if (place.inside === undefined || goesUpFromLink(word, folder)) return "paths outside the workspace";
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

/** A program that is given `link/..` gets the folder above what the link leads to. */
function goesUpFromLink(word: string, folder: string): boolean {
  const parts = expand(word).split("/");
  return parts.some((part, index) => {
    if (part !== ".." || index === 0) return false;
    const way = resolve(folder, `${parts.slice(0, index).join("/")}/`);
    try {
      return realpathSync.native(way) !== way;
    } catch {
      // There is nothing that it could go up from.
      return false;
    }
  });
}
