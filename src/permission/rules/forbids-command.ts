// Says whether a rule that forbids commands matches a command, as far as its words can be read.

import { readCommand, type SimpleCommand } from "../command/read-command.js";
import type { Work } from "../command/decision-work.js";
import { trimBlanks, type CommandRule } from "./rule.js";
import { spellingOf } from "./same-spelling.js";

/** Programs that run the program after them and after their own options. */
const wrappers: ReadonlySet<string> = new Set(
  "command builtin exec nohup sudo doas time setsid env timeout nice ionice stdbuf busybox toybox noglob nocorrect repeat -".split(
    " ",
  ),
);
/** Programs that run what one of their later words says, behind their own words. */
const carriers: ReadonlySet<string> = new Set(
  "flock script setpriv unshare nsenter chroot trap watch strace ltrace su runuser sg chrt taskset prlimit firejail xvfb-run dbus-run-session setarch unbuffer rlwrap start-stop-daemon systemd-run ssh".split(
    " ",
  ),
);
const shells: ReadonlySet<string> = new Set("sh bash dash zsh ksh ash fish".split(" "));

/**
 * The indexes of the words that may be programs. After `sudo -n`, the next word may be the value of `-n` or the
 * program, so both count.
 */
export function* programsIn(words: readonly string[], work?: Work): Generator<number> {
  for (const [index, word] of words.entries()) {
    work?.spend(stepsOfWord);
    if (index > 0 && /^(?:-|\d|\w+=)/.test(word)) continue;
    yield index;
    const isValue = words[index - 1]?.startsWith("-") === true;
    if (!isValue && !wrappers.has(baseName(word))) return;
  }
}

/** True if the words contain another command, which is not checked against the rules by itself. */
export function carriesCommand(words: readonly string[]): boolean {
  const names = [...programsIn(words)].map((index) => baseName(words[index]));
  const has = (option: RegExp): boolean => words.some((word) => option.test(word));
  return (
    names.some((name) => /^(?:eval|xargs|parallel|watch)$/.test(name)) ||
    (names.includes("find") && has(/^-(?:exec|ok)/)) ||
    (names.some((name) => shells.has(name)) && has(/^-\w*c/))
  );
}

/**
 * True if a rule that forbids commands matches this command, whatever the path or spelling of its program, and whatever options stand
 * between its words: `git push *` means `git -C . push` as well.
 */
export function forbidsCommand(
  rule: CommandRule,
  { words }: Pick<SimpleCommand, "words">,
  whole: string,
  work: Work,
): boolean {
  work.spend(stepsOfCommand);
  if (rule.text !== undefined) return rule.text === trimBlanks(whole);
  if (rule.words.length === 0) return true;
  const programs = [...programsIn(words, work)];
  if (programs.some((index) => meansProgram(rule, words, index, work))) return true;
  return programs.some((index) => carriers.has(baseName(words[index]))) && isCarried(rule, words, work);
}

/** The steps of a command that is held against a rule, and of each of its words that is looked at. */
const stepsOfCommand = 1;
const stepsOfWord = 1;
const stepsOfCharacter = 0.1;

/** The longest path of a program on Linux, in bytes. No system runs a program with a longer name. */
const maxName = 4096;

/** True if the rule matches a command that stands in the words of another command, or in the text of such a word. */
function isCarried(rule: CommandRule, [, ...rest]: readonly string[], work: Work): boolean {
  const inWord = (word: string): boolean =>
    /\s/.test(word) && readCommand(word, work).commands.some((one) => forbidsCommand(rule, one, word, work));
  return rest.some((word, index) => meansProgram(rule, rest, index, work) || inWord(word));
}

function meansProgram(
  { words: [named = "", ...following], isPrefix }: CommandRule,
  words: readonly string[],
  at: number,
  work: Work,
): boolean {
  work.spend(stepsOfWord);
  const program = words[at] ?? "";
  if (program.length > maxName) return false;
  work.spend(program.length * stepsOfCharacter);
  const isProgram = spellingOf(program) === spellingOf(named) || baseName(program) === spellingOf(named);
  if (!isProgram) return false;
  const isOption = (index: number): boolean => index > at && words[index]?.startsWith("-") === true;
  let next = at + 1;
  for (const wanted of following) {
    // The word after an option may be its value.
    while (words[next] !== wanted && next < words.length && (isOption(next) || isOption(next - 1))) {
      work.spend(stepsOfWord);
      next += 1;
    }
    if (words[next] !== wanted) return false;
    next += 1;
  }
  return isPrefix || words.length === next;
}

/** The name of a program without its folder; empty for a name that no system runs. */
function baseName(program = ""): string {
  if (program.length > maxName) return "";
  return spellingOf(program.replace(/^.*[/\\]/s, "")).replace(/\.(?:exe|cmd|bat)$/, "");
}
