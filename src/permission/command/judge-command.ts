// Judges a command: forbidden, provably harmless, allowed by a rule, or for somebody to decide.

import { statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { expand, locate } from "../../files/index.js";
import { placeOf, within } from "../place.js";
import type { Law } from "../law.js";
import { allowsWords, forbidsCommand, type Rule } from "../rule.js";
import { pathsIn } from "./options.js";
import { safePrograms, unbounded } from "./programs.js";
import { readCommand, type Reading, type SimpleCommand } from "./read-command.js";

/** What commands are judged by; the rules are those on the tool at hand. */
export type CommandLaw = Omit<Law, "tier">;

/** What there is to say about a command. */
export type CommandVerdict =
  | { readonly is: "forbidden"; readonly by: "rule" | "protected"; readonly reason: string }
  /** It reads and prints, and leaves everything as it is. */
  | { readonly is: "harmless" }
  | { readonly is: "allowed"; readonly rule: string }
  /** `isOpaque`: what it does can't be read, so no rule that forbids something can be sure of it. */
  | { readonly is: "undecided"; readonly reason: string; readonly isOpaque: boolean };

/** Judges a command that runs in a folder of the root. */
export async function judgeCommand(law: CommandLaw, text: string, folder: string): Promise<CommandVerdict> {
  const reading = readCommand(text);
  const forbidden = forbids(law, reading, text) ?? writesProtected(law, reading, folder);
  if (forbidden !== undefined) return forbidden;
  const exact = law.allow.find(({ command }) => command?.text !== undefined && command.text === text.trim());
  if (exact !== undefined) return { is: "allowed", rule: exact.text };
  if (!reading.isPlain)
    return { is: "undecided", reason: "it is more than plain words, so nobody can tell what it runs", isOpaque: true };
  return judgePlain(law, reading, folder);
}

function forbids(law: CommandLaw, { commands }: Reading, text: string): CommandVerdict | undefined {
  const rule = law.deny.find(
    ({ command }) => command !== undefined && commands.some((one) => forbidsCommand(command, one, text)),
  );
  return rule && { is: "forbidden", by: "rule", reason: `the rule ${rule.text} forbids it` };
}

function writesProtected(law: CommandLaw, { commands }: Reading, folder: string): CommandVerdict | undefined {
  for (const target of commands.flatMap(({ writes }) => writes)) {
    const absolute = [resolve(folder, expand(target))];
    const found = law.protector.written(law.root, { absolute });
    if (found?.how === "never")
      return { is: "forbidden", by: "protected", reason: `it writes to ${target}, and ${found.name} is protected` };
  }
  return undefined;
}

/** Each of its simple commands has to be harmless, or allowed by a rule. */
async function judgePlain(law: CommandLaw, { commands }: Reading, start: string): Promise<CommandVerdict> {
  let folder = start;
  let used: string | undefined;
  for (const [index, command] of commands.entries()) {
    const next = commands[index + 1]?.joint;
    const moved = next === "&&" || next === undefined ? await changeFolder(law, command, folder) : undefined;
    if (moved !== undefined) {
      folder = moved;
      continue;
    }
    if (await isHarmless(law, command, folder)) continue;
    const rule = await ruleFor(law, command, folder);
    if (typeof rule !== "string") return rule;
    used = rule;
  }
  return used === undefined ? { is: "harmless" } : { is: "allowed", rule: used };
}

/** Where `cd` leads, if it leads to a folder of the root. */
async function changeFolder(law: CommandLaw, { words }: SimpleCommand, folder: string): Promise<string | undefined> {
  const [program, target, ...more] = words;
  if (program !== "cd" || target === undefined || target.startsWith("-") || more.length > 0) return undefined;
  try {
    const real = await locate(law.root, resolve(folder, expand(target)));
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

async function isHarmless(law: CommandLaw, { words }: SimpleCommand, folder: string): Promise<boolean> {
  const [name = "", ...rest] = words;
  const program = safePrograms.get(name);
  if (program === undefined || (!program.isBuiltIn && !isInstalled(law, name, folder))) return false;
  const paths = pathsIn(program, rest);
  return paths !== undefined && (await astrayIn(law, paths, { folder, mayWrite: false })) === undefined;
}

/** The rule that allows it, or why none does. */
async function ruleFor(law: CommandLaw, { words }: SimpleCommand, folder: string): Promise<string | CommandVerdict> {
  const undecided = (reason: string): CommandVerdict => ({ is: "undecided", reason, isOpaque: false });
  const means = ({ command }: Rule): boolean => command !== undefined && allowsWords(command, words);
  const exact = law.allow.find((rule) => means(rule) && rule.command?.isPrefix === false);
  if (exact !== undefined) return exact.text;
  const prefix = law.allow.find(means);
  const [name = "", ...rest] = words;
  if (prefix === undefined)
    return undecided(`no rule allows ${name}, and it is none of the programs that only read and print`);
  const safe = safePrograms.get(name);
  if (isUnbounded(name))
    return undecided(
      `the rule ${prefix.text} does not cover ${name}, which can be made to run or write anything; a rule with all of its words does`,
    );
  if (safe !== undefined && pathsIn(safe, rest) === undefined)
    return undecided(`the rule ${prefix.text} does not cover options of ${name} that write, or run something else`);
  const astray = await astrayIn(law, rest.map(valueOf), { folder, mayWrite: safe === undefined });
  return astray === undefined ? prefix.text : undecided(`the rule ${prefix.text} does not cover ${astray}`);
}

/** What stands behind the `=` of an option, or the word itself. */
function valueOf(word: string): string {
  return word.startsWith("-") ? word.replace(/^-[^=/~]*=?/, "") : word;
}

/** The first of the words that is a path which must not be touched, or undefined. */
async function astrayIn(
  law: CommandLaw,
  words: readonly string[],
  { folder, mayWrite }: { readonly folder: string; readonly mayWrite: boolean },
): Promise<string | undefined> {
  for (const word of words) {
    if (word === "" || word === "-") continue;
    // Bare words are looked up as well: a link of that name may lead anywhere.
    const place = await placeOf(law.root, word, folder);
    if (/^[a-z][a-z+.-]*:\/\//i.test(word)) return "addresses";
    if (place.inside === undefined) return "paths outside the workspace";
    if (law.protector.isSecret(law.root, place)) return "files with secrets";
    if (mayWrite && law.protector.written(law.root, place) !== undefined) return "protected paths";
  }
  return undefined;
}

/** True where no rule with a prefix can stand for it: what it runs is said by its words. */
export function isUnbounded(program: string): boolean {
  const name = program.replace(/^.*[/\\]/s, "").replace(/\.(?:exe|cmd|bat|sh)$/i, "");
  return unbounded.has(name) || unbounded.has(name.replace(/[\d.]+$/, ""));
}

/** A program that is found in the workspace, or wherever one happens to be, is not the one that its name promises. */
function isInstalled({ root, path }: CommandLaw, name: string, folder: string): boolean {
  if (name.includes("/")) return false;
  for (const place of path.split(":")) {
    const file = join(isAbsolute(place) ? place : resolve(folder, place), name);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) continue;
    return isAbsolute(place) && within(root, place) === undefined;
  }
  return false;
}
