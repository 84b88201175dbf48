// Decides about a command: forbidden, provably harmless, allowed by a rule, or undecided.

import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { expand, locate } from "../../files/index.js";
import type { CommandLaw } from "../rules/law.js";
import { within } from "../rules/place.js";
import { allowsWords, carriesCommand, forbidsCommand, type Rule } from "../rules/rule.js";
import { pathsIn } from "../command/program-options.js";
import { safePrograms, unbounded } from "../command/programs.js";
import { readCommand, type ParsedCommand, type SimpleCommand } from "../command/read-command.js";
import { astrayIn, touchesForbidden, valueOf } from "./touched-files.js";

/** The decision about a command. */
export type CommandVerdict =
  | { readonly is: "forbidden"; readonly by: "rule" | "protected"; readonly reason: string }
  /** It only reads and prints, and changes nothing. */
  | { readonly is: "harmless" }
  | { readonly is: "allowed"; readonly rule: string }
  /**
   * `isOpaque`: its effects can't be read from the text, so no rule that forbids something can be checked with
   * certainty.
   */
  | { readonly is: "undecided"; readonly reason: string; readonly isOpaque: boolean };

/** Decides about a command that runs in a folder of the root. */
export async function decideCommand(law: CommandLaw, text: string, folder: string): Promise<CommandVerdict> {
  const parsed = readCommand(text);
  const rule = law.deny.find(
    ({ command }) => command !== undefined && parsed.commands.some((one) => forbidsCommand(command, one, text)),
  );
  if (rule !== undefined) return { is: "forbidden", by: "rule", reason: `the rule ${rule.text} forbids it` };
  const touched = await touchesForbidden(law, parsed, folder);
  if (touched !== undefined) return { is: "forbidden", ...touched };
  const exact = law.allow.find(({ command }) => command?.text !== undefined && command.text === text.trim());
  if (exact !== undefined) return { is: "allowed", rule: exact.text };
  if (!parsed.isPlain)
    return { is: "undecided", reason: "it is more than plain words, so nobody can tell what it runs", isOpaque: true };
  return decidePlain(law, parsed, folder);
}

/** Each simple command must be harmless or allowed by a rule, in every folder it may run in. */
async function decidePlain(law: CommandLaw, { commands }: ParsedCommand, start: string): Promise<CommandVerdict> {
  const isOpaque = commands.some(({ words }) => carriesCommand(words));
  /**
   * `all`: every folder that a `cd` may have reached. `folders`: the ones that the next command runs in if the commands
   * before it succeed.
   */
  let all: readonly string[] = [start];
  let folders = all;
  let used: string | undefined;
  for (const [index, command] of commands.entries()) {
    // After these operators, nobody knows which earlier commands ran, and how they ended.
    if (command.joint === ";" || command.joint === "||") folders = all;
    const moved = commands[index + 1]?.joint === "|" ? undefined : await changeFolder(law, command, folders);
    if (moved !== undefined) {
      folders = /[|]/.test(command.joint) ? [...new Set([...folders, ...moved])] : moved;
      all = [...new Set([...all, ...moved])];
      continue;
    }
    for (const folder of folders) {
      if (await isHarmless(law, command, folder)) continue;
      const rule = await ruleFor(law, command, folder);
      if (rule.is === "refused") return { is: "undecided", reason: rule.reason, isOpaque };
      used = rule.text;
    }
  }
  return used === undefined ? { is: "harmless" } : { is: "allowed", rule: used };
}

/** The folders that `cd` leads to from each of the folders; undefined if one of them is not a folder of the root. */
async function changeFolder(
  law: CommandLaw,
  { words }: SimpleCommand,
  folders: readonly string[],
): Promise<readonly string[] | undefined> {
  const [program, target, ...more] = words;
  if (program !== "cd" || target === undefined || target.startsWith("-") || more.length > 0) return undefined;
  try {
    const moved = folders.map((folder) => resolve(folder, expand(target)));
    for (const folder of moved) {
      // A shell that went through a link goes back through it, so its folder differs from the real one in which files
      // are looked up.
      const isThere = (await locate(law.root, folder)) === folder && statSync(folder).isDirectory();
      if (!isThere) return undefined;
    }
    return moved;
  } catch {
    return undefined;
  }
}

async function isHarmless(law: CommandLaw, { words }: SimpleCommand, folder: string): Promise<boolean> {
  const [name = "", ...rest] = words;
  const program = safePrograms.get(name);
  if (program === undefined || (!program.isBuiltIn && !isInstalled(law, name, folder))) return false;
  if (law.files.read.length > 0 && program.searches?.test(rest.join(" ")) === true) return false;
  const paths = pathsIn(program, rest);
  if (paths === undefined || (program.opensFolders && paths.some((path) => isFolder(resolve(folder, expand(path))))))
    return false;
  return (await astrayIn(law, paths, { folder, mayWrite: false })) === undefined;
}

/** True if the path is a folder, or can't be looked up. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return true;
  }
}

type RuleFound = { readonly is: "found"; readonly text: string } | { readonly is: "refused"; readonly reason: string };

/** The rule that allows the command, or the reason why none does. */
async function ruleFor(law: CommandLaw, { words }: SimpleCommand, folder: string): Promise<RuleFound> {
  const refused = (reason: string): RuleFound => ({ is: "refused", reason });
  const means = ({ command }: Rule): boolean => command !== undefined && allowsWords(command, words);
  const exact = law.allow.find((rule) => means(rule) && rule.command?.isPrefix === false);
  if (exact !== undefined) return { is: "found", text: exact.text };
  const prefix = law.allow.find(means);
  const [name = "", ...rest] = words;
  if (prefix === undefined)
    return refused(`no rule allows ${name}, and it is none of the programs that only read and print`);
  const safe = safePrograms.get(name);
  if (isUnbounded(name))
    return refused(
      `the rule ${prefix.text} does not cover ${name}, which can be made to run or write anything; a rule with all of its words does`,
    );
  if (safe !== undefined && pathsIn(safe, rest) === undefined)
    return refused(`the rule ${prefix.text} does not cover options of ${name} that write, or run something else`);
  const astray = await astrayIn(law, rest.map(valueOf), { folder, mayWrite: safe === undefined });
  return astray === undefined
    ? { is: "found", text: prefix.text }
    : refused(`the rule ${prefix.text} does not cover ${astray}`);
}

/** True if no prefix rule may cover the program, because its arguments decide what it runs. */
function isUnbounded(program: string): boolean {
  const name = program.replace(/^.*[/\\]/s, "").replace(/\.(?:exe|cmd|bat|sh)$/i, "");
  return unbounded.has(name) || unbounded.has(name.replace(/[\d.]+$/, ""));
}

/**
 * True if a shell finds the program outside the workspace. A program in the workspace, or in a relative folder of
 * `PATH`, may not be the one that its name promises.
 */
function isInstalled({ root, path }: CommandLaw, name: string, folder: string): boolean {
  if (name.includes("/")) return false;
  for (const place of path.split(":")) {
    const file = join(isAbsolute(place) ? place : resolve(folder, place), name);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    return isAbsolute(place) && [place, file].every((path) => within(root, realpathSync.native(path)) === undefined);
  }
  return false;
}
