// Assignments: a name that says it is a secret, and a value that looks like one. Ordinary code is left as it is.

import { characters, isOf, no, notBefore, oneOf, optional, run, sequence, words, type Part } from "./match.js";
import { restOf } from "./rest.js";
import type { Format } from "./format.js";
import type { SecretSpan } from "./format.js";

const names: readonly string[] = [
  ["password", "passwd", "passphrase", "pwd", "pgpassword", "secret", "token", "credential", "credentials"],
  ...["api", "access", "secret", "private", "account", "auth", "encryption", "signing"].map((what) => [
    `${what}_key`,
    `${what}-key`,
    `${what}key`,
  ]),
  ["secret_key_base"],
]
  .flat()
  .sort((a, b) => b.length - a.length);

const readName = oneOf(...names.map((name) => sequence(words(name, true), notBefore(characters(/[\w-]/)))));
const nameAt = new RegExp(`(?:${names.join("|")})(?![\\w-])`, "iy");
const longestName = Math.max(...names.map(({ length }) => length));

/** One of the names, to its end. */
const named: Part = (text, at, isWhole) => {
  if (at + longestName >= text.length) return readName(text, at, isWhole);
  nameAt.lastIndex = at;
  return nameAt.test(text) ? nameAt.lastIndex : no;
};
const alphanumeric = characters(/[A-Za-z0-9]/);
const blank = characters(/[ \t]/);
const quoted = characters(/[^\s"'`\\{}<>]/);
const bare = characters(/[^\s"'`\\{}<>()[\],;$&|]/);
const ends = characters(/[^\s"'`\\]/);
const marks = ['\\"', '"', "'", "`"];

/** Characters of a value that are looked at. */
const most = 128;

/** How the name and the value are joined. */
interface Joint {
  /** True where the name is in capitals and only `=` stands between the two, as in a file of settings. */
  readonly isSetting: boolean;
  /** True where `=` has blanks around it: that is code more often than not. */
  readonly isWide: boolean;
  readonly isColon: boolean;
}

const closing = sequence(optional(oneOf(...marks.map((mark) => words(mark)))), optional(words("]")), run(blank, 0, 8));
const separator = oneOf(...[":=", "=>", "=", ":"].map((sign) => words(sign)));
const lead = sequence(notBefore(characters(/[=:>]/)), run(blank, 0, 8));
const quotedBody = run(quoted, 8, most);
const bareBody = run(bare, 8, most);
const bareEnd = notBefore(ends);
const quotes = marks.map((mark) => words(mark));

export const assignment: Format = {
  kind: "secret",
  openers: names,
  mayFollow: (before, text, at) =>
    !isOf(alphanumeric, before) || (/[a-z]/.test(String.fromCharCode(before)) && /[A-Z]/.test(text.charAt(at))),
  see(text, at, isWhole) {
    const end = named(text, at, isWhole);
    if (end < 0) return end;
    const sign = closing(text, end, isWhole);
    if (sign < 0) return sign;
    const behind = separator(text, sign, isWhole);
    if (behind < 0) return behind;
    const from = lead(text, behind, isWhole);
    if (from < 0) return from;
    const joint = text.slice(end, from);
    const name = text.slice(at, end);
    return value(text, from, isWhole, {
      isSetting: joint === "=" && name === name.toUpperCase(),
      isWide: joint.includes("=") && /\s/.test(joint),
      isColon: joint.includes(":"),
    });
  },
};

function value(text: string, at: number, isWhole: boolean, joint: Joint): SecretSpan | number {
  for (const mark of quotes) {
    const from = mark(text, at, isWhole);
    if (from === no) continue;
    if (from < 0) return from;
    return within(text, from, isWhole, mark, quotedBody, isSecretText);
  }
  const isLikely = (read: string): boolean => isSecretWord(read, joint);
  return within(text, at, isWhole, bareEnd, bareBody, isLikely);
}

/** A value that is as long as what is looked at is taken as a secret, and the rest of it with it. */
function within(
  text: string,
  from: number,
  isWhole: boolean,
  close: Part,
  body: Part,
  isLikely: (read: string) => boolean,
): SecretSpan | number {
  const to = body(text, from, isWhole);
  if (to < 0) return to;
  if (!isLikely(text.slice(from, to))) return no;
  if (to - from === most) return { from, to, rest: restOf(bare) };
  const end = close(text, to, isWhole);
  return end < 0 ? end : { from, to };
}

/** Letters, and a digit or a mark that words have not; no path and no address. */
function isSecretText(read: string): boolean {
  return /[A-Za-z]/.test(read) && /[\d!@#%^*+~]/.test(read) && !/:\/\/|^(?:\.{0,2}|~|@[\w-]+)\/(?=.{0,38}$)/.test(read);
}

/** Without quotes, the name of something else is more likely: a variable, a type. */
function isSecretWord(read: string, { isSetting, isWide, isColon }: Joint): boolean {
  if (read.includes("://")) return false;
  if (isSetting) return /[A-Za-z]/.test(read) && !/^(?:undefined|required|optional|redacted)$/i.test(read);
  if (!isSecretText(read)) return false;
  const isName = /^[A-Za-z_][\w.-]*$/.test(read);
  if (!isName) return true;
  const digits = read.replace(/\D/g, "").length;
  if (isWide) return read.length >= 16 && digits >= 4;
  return isColon ? /^[a-z]/.test(read) && !read.includes(".") : !read.includes(".");
}
