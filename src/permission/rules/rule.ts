// Rules: what the caller allows and forbids, by tool, path and command.

import { LastcallError, type FrozenCall } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { matcher } from "../../files/index.js";
import { spellingOf, pathSpellingOf } from "./same-spelling.js";
import { readCommand, type SimpleCommand } from "../command/read-command.js";
import { home, within, type Place } from "./place.js";

/** A rule as it was read. */
export interface Rule {
  /** As the caller wrote it. */
  readonly text: string;
  /** A tool's name; or `read` or `write`, for every call that reads or writes files. */
  readonly name: string;
  /** What is meant of the tool's calls; undefined for all of them. */
  readonly paths: PathRule | undefined;
  readonly command: CommandRule | undefined;
  readonly meansAll: boolean;
}

/** The paths that a rule means. */
export interface PathRule {
  /** True where one of the names of the place is meant, however it is spelt. */
  forbids(root: string, place: Place): boolean;
  /** True where what the place really is is meant, as it is spelt. */
  allows(root: string, place: Place): boolean;
  /** True where the rule names one file and no pattern. */
  readonly isExact: boolean;
}

/** The commands that a rule means. */
export interface CommandRule {
  readonly words: readonly string[];
  /** True where any more words may follow. */
  readonly isPrefix: boolean;
  /** Set where the rule is no plain words: then it means this very text alone. */
  readonly text: string | undefined;
}

/**
 * Reads rules such as `run_command(npm test)`, `write_file(src/**)`, `read(.env)` or `delete_file`.
 * @throws LastcallError `configuration` that names every rule that makes no sense, and says what to do.
 */
export function readRules(kind: "allow" | "deny", texts: readonly string[]): readonly Rule[] {
  const wrong: string[] = [];
  const rules = texts.flatMap((text) => {
    try {
      return [readRule(kind, text)];
    } catch (thrown) {
      wrong.push(`${kind} rule ${JSON.stringify(text)}: ${explain(thrown)}`);
      return [];
    }
  });
  if (wrong.length > 0) throw new LastcallError("configuration", wrong.join("\n"));
  return rules;
}

function readRule(kind: "allow" | "deny", text: string): Rule {
  if (typeof (text as unknown) !== "string") throw new Error("a rule is a text such as run_command(npm test).");
  const [, name = "", inner] = /^\s*([A-Za-z_][\w-]{0,63})(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  if (name === "")
    throw new Error("it is no tool's name, or a name and what is meant in parentheses, such as run_command(npm test).");
  if (inner === undefined) return { text, name, paths: undefined, command: undefined, meansAll: true };
  if (inner.trim() === "") throw new Error(`nothing is in the parentheses: write ${name} to mean every call of it.`);
  const paths = name === "run_command" ? undefined : tryTo(() => readPaths(inner));
  const command = name === "read" || name === "write" ? undefined : tryTo(() => readCommandRule(inner));
  const problem = [paths, command].find((read) => read instanceof Error);
  if (isRead(paths) || isRead(command)) {
    const isAny = isRead(command) && command.isPrefix && command.words.length === 0;
    if (isAny && !isRead(paths) && kind === "allow") throw new Error(`to allow every command, write ${name}.`);
    return {
      text,
      name,
      paths: isRead(paths) ? paths : undefined,
      command: isRead(command) ? command : undefined,
      meansAll: isAny && !isRead(paths),
    };
  }
  throw problem ?? new Error("it can't be read.");
}

function tryTo<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(explain(thrown));
  }
}

function isRead<T>(read: T | Error | undefined): read is T {
  return read !== undefined && !(read instanceof Error);
}

/** Relative patterns begin at the root, `~/` at the home folder, `/` at the top. */
function readPaths(pattern: string): PathRule {
  const trimmed = pattern.trim();
  const base = /^~(?:\/|$)/.test(trimmed) ? home : trimmed.startsWith("/") ? () => "/" : undefined;
  const bare = trimmed.replace(/^~?\/+/, "").replace(/\/+$/, "");
  const text = bare === "" ? "**" : bare;
  const anchored = text.startsWith("../") || base !== undefined ? `./${text.replace(/^(?:\.\/)+/, "")}` : text;
  const forbidden = matcher([spellingOf(anchored)]);
  const allowed = matcher([`./${text.replace(/^(?:\.\/)+/, "")}`.normalize("NFC")]);
  const from = (root: string, path: string): string | undefined => within(base?.() ?? root, path);
  return {
    isExact: !/[*?[\]{}()!+@\\]/.test(trimmed) && !trimmed.endsWith("/"),
    forbids: (root, { absolute }) =>
      absolute.some((path) => {
        const name = from(root, path);
        return name !== undefined && (forbidden(pathSpellingOf(name)) || forbidden(spellingOf(name)) || text === "**");
      }),
    allows(root, { absolute, inside }) {
      const name = from(root, absolute.at(-1) ?? "");
      return inside !== undefined && name !== undefined && (allowed(name.normalize("NFC")) || text === "**");
    },
  };
}

function readCommandRule(text: string): CommandRule {
  const isPrefix = /(?:^|\s)\*$/.test(text.trim());
  const body = text.trim().replace(/(?:^|\s+)\*$/, "");
  if (body === "") return { words: [], isPrefix, text: undefined };
  const { commands, isPlain } = readCommand(body);
  const [only, ...more] = commands;
  if (isPlain && only !== undefined && more.length === 0) return { words: only.words, isPrefix, text: undefined };
  if (isPrefix || /[*?]/.test(body))
    throw new Error(
      "a * stands for any more words, at the end of plain words; without it, the rule means exactly this command.",
    );
  return { words: [], isPrefix: false, text: body };
}

/** True where a rule speaks of calls like this one at all. */
export function concerns({ name }: Rule, { name: tool, reach }: FrozenCall, access?: Access): boolean {
  if (name === tool) return true;
  if (access !== undefined) return name === access;
  const hasAny = (paths: readonly string[] | undefined): boolean => paths !== undefined && paths.length > 0;
  return (name === "read" && hasAny(reach?.reads)) || (name === "write" && hasAny(reach?.writes));
}

/** What is done to a file. */
export type Access = "read" | "write";

/** True where a rule that forbids files holds for commands as well: it means every tool, or the one that does nothing else. */
export function isOnFiles({ name, paths }: Rule, access: Access): boolean {
  return name === access || (name === `${access}_file` && paths !== undefined);
}

/** What runs the program behind it, and behind its own options. */
const wrappers: ReadonlySet<string> = new Set(
  "command builtin exec nohup sudo doas time setsid env timeout nice ionice stdbuf busybox toybox".split(" "),
);
const shells: ReadonlySet<string> = new Set("sh bash dash zsh ksh ash fish".split(" "));

/** Where programs stand, as far as that can be told: behind `sudo -n`, `-n` may have a value or none. */
function* programsIn(words: readonly string[]): Generator<number> {
  for (const [index, word] of words.entries()) {
    if (index > 0 && /^(?:-|\d|\w+=)/.test(word)) continue;
    yield index;
    const isValue = words[index - 1]?.startsWith("-") === true;
    if (!isValue && !wrappers.has(baseName(word))) return;
  }
}

/** True where a command stands in the words of another, so that it is not held against the rules itself. */
export function carriesCommand(words: readonly string[]): boolean {
  const names = [...programsIn(words)].map((index) => baseName(words[index]));
  const has = (option: RegExp): boolean => words.some((word) => option.test(word));
  return (
    names.some((name) => /^(?:eval|xargs|parallel|watch)$/.test(name)) ||
    (names.includes("find") && has(/^-(?:exec|ok)/)) ||
    (names.some((name) => shells.has(name)) && has(/^-\w*c/))
  );
}

/** True where a rule that forbids commands means this one, under whatever path or spelling its program is called. */
export function forbidsCommand(rule: CommandRule, { words }: SimpleCommand, whole: string): boolean {
  if (rule.text !== undefined) return rule.text === whole.trim();
  if (rule.words.length === 0) return true;
  for (const index of programsIn(words)) if (meansProgram(rule, words, index)) return true;
  return false;
}

function meansProgram(
  { words: [named = "", ...following], isPrefix }: CommandRule,
  words: readonly string[],
  at: number,
): boolean {
  const program = words[at] ?? "";
  const isProgram = spellingOf(program) === spellingOf(named) || baseName(program) === spellingOf(named);
  const isSame = following.every((word, index) => word === words[at + 1 + index]);
  return isProgram && isSame && (isPrefix || words.length === at + 1 + following.length);
}

/** True where the words of the command begin as the rule says, and there are no more unless it has a `*`. */
export function allowsWords(rule: CommandRule, words: readonly string[]): boolean {
  if (rule.text !== undefined || rule.words.length === 0) return false;
  const isSame = rule.words.every((word, index) => word === words[index]);
  return isSame && (rule.isPrefix || words.length === rule.words.length);
}

function baseName(program = ""): string {
  return spellingOf(program.replace(/^.*[/\\]/s, "")).replace(/\.(?:exe|cmd|bat)$/, "");
}
