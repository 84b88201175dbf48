// Decides about a command: forbidden, provably harmless, allowed by a rule, or undecided.

import { resolve } from "node:path";
import { expand } from "../../files/index.js";
import type { CommandLaw } from "../rules/law.js";
import { carriesCommand, forbidsCommand } from "../rules/forbids-command.js";
import { allowsWords, trimBlanks, type Rule } from "../rules/rule.js";
import { isCovered } from "../command/covered-programs.js";
import { runnerWordsOf } from "../command/runner-words.js";
import { pathsIn } from "../command/program-options.js";
import { safePrograms } from "../command/programs.js";
import type { ParsedCommand, SimpleCommand } from "../command/read-command.js";
import { unknownText } from "../command/words.js";
import { behindTimeout, isHarmlessAssignment } from "../command/wrappers.js";
import { expandCommand, hasPatterns, type ExpandedCommand, type Expansion, type Place } from "./expand-command.js";
import { plainChanges } from "../programs/plain-changes.js";
import { chooserOf, harmOf, isInstalled, maxSearches, secretOf, type Looks, type Scene } from "./harm.js";
import { astrayIn, isFolder, isTooMuch, touchesForbidden, valueOf } from "./touched-files.js";

/** The decision about a command. */
export type CommandVerdict =
  | { readonly is: "forbidden"; readonly by: "rule" | "protected"; readonly reason: string }
  /** It only reads and prints, and changes nothing. */
  | { readonly is: "harmless" }
  /** Besides that, it makes empty files and folders, removes empty folders, or sets the times of files. Its words name them. */
  | { readonly is: "plain" }
  | { readonly is: "allowed"; readonly rule: string }
  /**
   * `isOpaque`: its effects can't be read from the text, so no rule that forbids something can be checked with
   * certainty.
   */
  | { readonly is: "undecided"; readonly reason: string; readonly isOpaque: boolean };

/**
 * Decides about a command that runs in a folder of the root.
 * @throws TooMuchWork if the work that is left does not suffice.
 */
export async function decideCommand(
  law: CommandLaw,
  { text, parsed }: { readonly text: string; readonly parsed: ParsedCommand },
  folder: string,
): Promise<CommandVerdict> {
  const rule = law.deny.find(
    ({ command }) =>
      command !== undefined && parsed.commands.some((one) => forbidsCommand(command, one, text, law.work)),
  );
  if (rule !== undefined) return { is: "forbidden", by: "rule", reason: `the rule ${rule.text} forbids it` };
  const touched = await touchesForbidden(law, parsed, folder);
  if (touched !== undefined) return { is: "forbidden", ...touched };
  const exact = law.allow.find(({ command }) => command?.text !== undefined && command.text === trimBlanks(text));
  if (exact !== undefined) return { is: "allowed", rule: exact.text };
  if (!parsed.isUnderstood)
    return { is: "undecided", reason: "it is more than plain words, so nobody can tell what it runs", isOpaque: true };
  if (hasOtherValues(law, text, parsed))
    return {
      is: "undecided",
      reason: "its tool gives it variables with other values than this process has",
      isOpaque: true,
    };
  if (isTooMuch(parsed.commands, law.work))
    return { is: "undecided", reason: "it has too many patterns and loops to look at", isOpaque: true };
  // Of a program whose errors go the same way, nobody knows what it hands on.
  const isSorted = !/[<>]&|&>/.test(text);
  return decideUnderstood(law, parsed, { start: folder, isSorted });
}

/** True if the command reads a variable, or prints all variables, and its tool gives it other variables than this process has. */
function hasOtherValues({ variables }: CommandLaw, text: string, { commands }: ParsedCommand): boolean {
  const others = Object.keys(variables).filter((name) => variables[name] !== process.env[name]);
  if (others.length === 0) return false;
  const prints = commands.some(({ words }) => /^(?:env|printenv)$/.test(words[0] ?? ""));
  return (
    prints ||
    (text.includes("~") && others.includes("HOME")) ||
    others.some((name) => text.includes(`$${name}`) || text.includes(`{${name}`))
  );
}

/** The folder in which a text starts; and whether its programs hand on nothing but their output. */
interface Start {
  readonly start: string;
  readonly isSorted: boolean;
}

/** Each simple command must be harmless or allowed by a rule, in every folder it may run in. */
async function decideUnderstood(
  law: CommandLaw,
  { commands }: ParsedCommand,
  { start, isSorted }: Start,
): Promise<CommandVerdict> {
  /**
   * `all`: every folder that a `cd` may have reached. `folders`: the folders that the next command runs in if the
   * commands before it succeed.
   */
  let all: readonly string[] = [start];
  let folders = all;
  let used: string | undefined;
  let changes = false;
  const looks: Looks = { repositories: new Map(), programs: new Map(), searches: maxSearches };
  const { root, work } = law;
  const isOpaque = commands.some((command) => isOpaqueIn(command, { root, folder: start, work }));
  const undecided = (reason: string): CommandVerdict => ({ is: "undecided", reason, isOpaque });
  for (const [index, command] of commands.entries()) {
    await work.pause();
    // After these operators, nobody knows which earlier commands ran, and how they ended.
    if (command.joint === ";" || command.joint === "||") folders = all;
    const moved = commands[index + 1]?.joint === "|" ? undefined : await changeFolder(law, command, folders);
    if (moved !== undefined) {
      folders = /[|]/.test(command.joint) ? [...new Set([...folders, ...moved])] : moved;
      all = [...new Set([...all, ...moved])];
      continue;
    }
    for (const folder of folders) {
      const expansion = expandCommand(command, { root, folder, work });
      const feeders = isSorted ? feedersOf(commands.slice(0, index + 1), { root, folder, work }) : undefined;
      const judged = await judge(law, command, expansion, { folder, looks, feeders });
      if (judged.is === "refused") return undecided(judged.reason);
      used ??= judged.rule;
      changes ||= judged.changes === true;
    }
  }
  const forbidsSome = law.deny.some((rule) => rule.command !== undefined);
  if (forbidsSome && commands.some(({ words }) => carriesCommand(words)) && used === undefined)
    return undecided("it runs a command that its words do not name");
  if (used === undefined && !changes) return { is: "harmless" };
  // A program that does more than read may make the files that a pattern stands for.
  if (commands.some((command) => hasPatterns(command, work)))
    return undecided("nobody can tell what its patterns stand for once its other commands ran");
  return used === undefined ? { is: "plain" } : { is: "allowed", rule: used };
}

/** The words of the programs in front of the last program in its pipeline; undefined if there are none, or nobody can tell. */
function feedersOf(commands: readonly SimpleCommand[], place: Place): readonly (readonly string[])[] | undefined {
  const last = commands.at(-1);
  const begin = commands.findLastIndex(({ joint }) => joint !== "|");
  const pipeline = commands.slice(begin, -1);
  const isFed = (one: SimpleCommand): boolean =>
    one.inputs.length + one.loops.length + one.assignments.length > 0 || one.hasDocument;
  if (last === undefined || pipeline.length === 0 || [...pipeline, last].some(isFed)) return undefined;
  const words = pipeline.map((one) => {
    const expansion = expandCommand(one, place);
    return expansion.is === "known" && expansion.commands.length === 1 ? expansion.commands[0]?.words : undefined;
  });
  return words.includes(undefined) ? undefined : words.filter((one) => one !== undefined);
}

/** True if the command may run another program, whose words nobody knows. */
function isOpaqueIn(command: SimpleCommand, place: Place): boolean {
  if (hasPatterns(command, place.work) || carriesCommand(command.words)) return true;
  const expansion = expandCommand(command, place);
  const isUnknown = (words: readonly string[]): boolean =>
    carriesCommand(words) || words.some((word) => word.includes(unknownText));
  return expansion.is === "unknown" || expansion.commands.some(({ words }) => isUnknown(words));
}

/** The folders that `cd` leads to from each of the folders; undefined if one is not a folder of the root. */
async function changeFolder(
  law: CommandLaw,
  command: SimpleCommand,
  folders: readonly string[],
): Promise<readonly string[] | undefined> {
  const { words, loops, assignments, inputs } = command;
  if (words[0] !== "cd" || loops.length + assignments.length + inputs.length > 0) return undefined;
  const { root, work } = law;
  const moved: string[] = [];
  for (const folder of folders) {
    const expansion = expandCommand(command, { root, folder, work });
    const [, target, ...more] = expansion.is === "known" ? (expansion.commands[0]?.words ?? []) : [];
    if (target === undefined || target.startsWith("-") || more.length > 0) return undefined;
    const reached = resolve(folder, expand(target));
    // A shell that went through a link goes back through it, so its folder differs from the real folder in which files
    // are looked up.
    const { inside, absolute } = await law.lookup.resolve(reached);
    const isThere = inside !== undefined && absolute.length === 1 && isFolder(reached, work);
    if (!isThere) return undefined;
    moved.push(reached);
  }
  return moved;
}

type Judged =
  | { readonly is: "fine"; readonly rule?: string; readonly changes?: true }
  | { readonly is: "refused"; readonly reason: string };

function refused(reason: string): Judged {
  return { is: "refused", reason };
}

async function judge(law: CommandLaw, command: SimpleCommand, expansion: Expansion, scene: Scene): Promise<Judged> {
  if (expansion.is === "unknown") return refused(expansion.reason);
  const strange = command.assignments.find(({ name, value }) => !isHarmlessAssignment(name, value.text));
  if (strange !== undefined) return refused(`it sets ${strange.name}, which may change what a program does`);
  let rule: string | undefined;
  let changes: { readonly changes?: true } = {};
  for (const expanded of expansion.commands) {
    const harm = await harmOf(law, expanded, scene);
    if (harm === undefined) continue;
    if (await isPlainChange(law, expanded, scene)) {
      changes = { changes: true };
      continue;
    }
    const isFed = command.inputs.length > 0 || command.hasDocument;
    const judged = isFed ? refused(`it gets an input, and ${harm}`) : await ruleFor(law, expanded, scene, harm);
    if (judged.is === "refused") return judged;
    rule ??= judged.rule;
  }
  return rule === undefined ? { is: "fine", ...changes } : { is: "fine", rule, ...changes };
}

/** True if the command only makes empty files and folders of the workspace, removes empty folders, or sets the times of files. */
async function isPlainChange(law: CommandLaw, { words, reads }: ExpandedCommand, scene: Scene): Promise<boolean> {
  const [name = "", ...rest] = words;
  const program = law.isWalledIn && reads.length === 0 ? plainChanges.get(name) : undefined;
  const paths = program && pathsIn(program, rest);
  if (paths === undefined || !isInstalled(law, name, scene) || chooserOf(law, name, scene) !== undefined) return false;
  return (await astrayIn(law, paths, { folder: scene.folder, mayWrite: true })) === undefined;
}

/** The rule that allows the command, or the reason why none does. */
async function ruleFor(law: CommandLaw, command: ExpandedCommand, scene: Scene, harm: string): Promise<Judged> {
  const { words: written } = command;
  const means =
    (said: readonly string[]) =>
    ({ command: rule }: Rule): boolean =>
      rule !== undefined && allowsWords(rule, said);
  const isTimed = isInstalled(law, "timeout", scene);
  const behind = (isTimed ? behindTimeout(written) : undefined) ?? written;
  law.work.spend(law.allow.length);
  for (const said of [written, behind]) {
    const exact = law.allow.find((rule) => means(said)(rule) && rule.command?.isPrefix === false);
    if (exact !== undefined) return { is: "fine", rule: exact.text };
  }
  const prefix = law.allow.find(means(behind));
  const [name = "", ...rest] = behind;
  if (prefix === undefined) return refused(`no rule allows ${name}, and ${harm}`);
  const exactly = `a rule with all of its words does: ${prefix.name}(${behind.join(" ")})`;
  const runner = runnerWordsOf(behind);
  if (runner !== undefined && runner.rest === undefined)
    return refused(
      `the rule ${prefix.text} does not cover words of ${runner.begin.join(" ")} that may do more than choose what is checked; ${exactly}`,
    );
  if (runner === undefined && !isCovered(behind))
    return refused(
      `the rule ${prefix.text} does not cover ${name}, which is none of the programs that do only what their words say; ${exactly}`,
    );
  const safe = runner === undefined ? safePrograms.get(name) : undefined;
  if (safe !== undefined && pathsIn(safe, rest) === undefined)
    return refused(`the rule ${prefix.text} does not cover options of ${name} that write, or run something else`);
  const { folder } = scene;
  const words = (runner?.rest ?? rest).map(valueOf);
  const astray = await astrayIn(law, words, { folder, mayWrite: safe === undefined });
  if (astray !== undefined) return refused(`the rule ${prefix.text} does not cover ${astray}`);
  const secret = safe && secretOf(law, behind, scene);
  return secret === undefined ? { is: "fine", rule: prefix.text } : refused(secret);
}
