// Rules: the calls that the caller allows and forbids, by tool, path and command.

import { LastcallError, type FrozenCall } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { matcher } from "../../files/index.js";
import { spellingOf, pathSpellingOf } from "./same-spelling.js";
import { readCommand } from "../command/read-command.js";
import { home, within, type ResolvedPath } from "./place.js";

/** A parsed rule. */
export interface Rule {
  /** The rule as the caller wrote it. */
  readonly text: string;
  /** The name of a tool; or `read` or `write`, for every call that reads or writes files. */
  readonly name: string;
  /** The calls of the tool that the rule matches; both undefined if it matches all calls. */
  readonly paths: PathRule | undefined;
  readonly command: CommandRule | undefined;
  readonly meansAll: boolean;
}

/** The paths that a rule matches. */
export interface PathRule {
  /** True if one of the path's names matches, however it is spelt. */
  forbids(root: string, target: ResolvedPath): boolean;
  /** True if the real path matches, exactly as it is spelt. */
  allows(root: string, target: ResolvedPath): boolean;
  /** True if the rule names one file and is no pattern. */
  readonly isExact: boolean;
}

/** The commands that a rule matches. */
export interface CommandRule {
  readonly words: readonly string[];
  /** True if more words may follow. */
  readonly isPrefix: boolean;
  /** Set if the rule is more than plain words: it then matches exactly this text. */
  readonly text: string | undefined;
}

/** The list that a rule stands in. */
export type RuleKind = "allow" | "deny" | "kept";

/**
 * Parses rules such as `run_command(npm test)`, `write_file(src/**)`, `read(.env)` or `delete_file`.
 * @throws LastcallError `configuration` that names every invalid rule and says what to do.
 */
export function readRules(kind: RuleKind, texts: readonly string[]): readonly Rule[] {
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

function readRule(kind: RuleKind, text: string): Rule {
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
    if (isAny && !isRead(paths) && kind !== "deny") throw new Error(`to allow every command, write ${name}.`);
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

/** Relative patterns begin at the root, `~/` at the home folder, `/` at the top of the file system. */
function readPaths(pattern: string): PathRule {
  const trimmed = pattern.trim();
  const base = /^~(?:\/|$)/.test(trimmed) ? home : trimmed.startsWith("/") ? () => "/" : undefined;
  const bare = trimmed.replace(/^~?\/+/, "").replace(/\/+$/, "");
  const text = bare === "" ? "**" : bare;
  const anchored = text.startsWith("./") || base !== undefined ? `./${text.replace(/^(?:\.\/)+/, "")}` : text;
  const forbidden = matcher([spellingOf(anchored)]);
  const allowed = matcher([`./${text.replace(/^(?:\.\/)+/, "")}`.normalize("NFC")]);
  const from = (root: string, path: string): string | undefined => within(base?.() ?? root, path);
  return {
    isExact: !/[*?[\]{}()!+@\\]/.test(trimmed) && !trimmed.endsWith("/"),
    forbids: (root, { absolute }) =>
      absolute.some((path) => {
        const name = from(root, path);
        if (name === undefined) return false;
        const spelled = new Set([pathSpellingOf(name), spellingOf(name)]);
        return text === "**" || [...spelled].some((one) => forbidden(one));
      }),
    allows(root, { absolute, inside }) {
      const name = from(root, absolute.at(-1) ?? "");
      return inside !== undefined && name !== undefined && (allowed(name.normalize("NFC")) || text === "**");
    },
  };
}

function readCommandRule(text: string): CommandRule {
  const trimmed = trimBlanks(text);
  const isPrefix = /(?:^|[ \t])\*$/.test(trimmed);
  const body = trimmed.replace(/(?:^|[ \t]+)\*$/, "");
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

/** The text without the blanks and line ends around it. Other spaces are part of a word for a shell. */
export function trimBlanks(text: string): string {
  const isBlank = (at: number): boolean => " \t\n".includes(text.charAt(at));
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start += 1;
  while (start < end && isBlank(end - 1)) end -= 1;
  return text.slice(start, end);
}

/** True if a rule is about the tool of this call, or about the access. */
export function concerns({ name }: Rule, { name: tool, reach }: FrozenCall, access?: Access): boolean {
  if (name === tool) return true;
  if (access !== undefined) return name === access;
  const hasAny = (paths: readonly string[] | undefined): boolean => paths !== undefined && paths.length > 0;
  return (name === "read" && hasAny(reach?.reads)) || (name === "write" && hasAny(reach?.writes));
}

/** The kind of access to a file. */
export type Access = "read" | "write";

/**
 * True if a rule that forbids files also applies to commands: it is about every tool with that access, or about
 * `read_file` or `write_file`.
 */
export function isOnFiles({ name, paths }: Rule, access: Access): boolean {
  return name === access || (name === `${access}_file` && paths !== undefined);
}

/**
 * True if the words of the command begin with the words of the rule. Further words are allowed only if the rule ends
 * with a `*`.
 */
export function allowsWords(rule: CommandRule, words: readonly string[]): boolean {
  if (rule.text !== undefined || rule.words.length === 0) return false;
  const isSame = rule.words.every((word, index) => word === words[index]);
  return isSame && (rule.isPrefix || words.length === rule.words.length);
}
