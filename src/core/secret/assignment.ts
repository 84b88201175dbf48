// Assignments: a name that announces a secret, followed by a value that looks like one. Ordinary code stays unchanged.

import { characters, isOf, no, notBefore, oneOf, optional, run, sequence, words, type Part } from "./match.js";
import { restOf } from "./rest.js";
import type { Format } from "./format.js";
import type { SecretSpan } from "./format.js";

const names: readonly string[] = [
  ["password", "passwd", "passphrase", "pwd", "pgpassword", "secret", "token", "credential", "credentials"],
  ...["api", "access", "secret", "private", "account", "auth", "encryption", "signing"].map((owner) => [
    `${owner}_key`,
    `${owner}-key`,
    `${owner}key`,
  ]),
  ["secret_key_base"],
]
  .flat()
  .sort((a, b) => b.length - a.length);

const readName = oneOf(...names.map((name) => sequence(words(name, true), notBefore(characters(/[\w-]/)))));
const nameAt = new RegExp(`(?:${names.join("|")})(?![\\w-])`, "iy");
const longestName = Math.max(...names.map(({ length }) => length));

/** Matches one of the names. */
const secretName: Part = (text, at, isWhole) => {
  // Near the end of the text, only the parts can tell if more text is needed. Elsewhere, the expression is faster.
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

/** The maximum number of characters of a value that are examined. */
const maxExamined = 128;

/** The text between the name and the value. */
interface Joint {
  /** True for a name in capitals that is followed directly by `=`, as in a settings file. */
  readonly isSetting: boolean;
  /** True if there are blanks around `=`. Such a line is usually code. */
  readonly isWide: boolean;
  readonly isColon: boolean;
}

const closing = sequence(optional(oneOf(...marks.map((mark) => words(mark)))), optional(words("]")), run(blank, 0, 8));
const separator = oneOf(...[":=", "=>", "=", ":"].map((sign) => words(sign)));
const lead = sequence(notBefore(characters(/[=:>]/)), run(blank, 0, 8));
const quotedBody = run(quoted, 8, maxExamined);
const bareBody = run(bare, 8, maxExamined);
const bareEnd = notBefore(ends);
const quotes = marks.map((mark) => words(mark));

export const assignment: Format = {
  kind: "secret",
  openers: names,
  mayFollow: (before, text, at) =>
    !isOf(alphanumeric, before) || (/[a-z]/.test(String.fromCharCode(before)) && /[A-Z]/.test(text.charAt(at))),
  match(text, at, isWhole) {
    const end = secretName(text, at, isWhole);
    if (end < 0) return end;
    const signStart = closing(text, end, isWhole);
    if (signStart < 0) return signStart;
    const signEnd = separator(text, signStart, isWhole);
    if (signEnd < 0) return signEnd;
    const from = lead(text, signEnd, isWhole);
    if (from < 0) return from;
    const joint = text.slice(end, from);
    const name = text.slice(at, end);
    return matchValue(text, from, isWhole, {
      isSetting: joint === "=" && name === name.toUpperCase(),
      isWide: joint.includes("=") && /\s/.test(joint),
      isColon: joint.includes(":"),
    });
  },
};

function matchValue(text: string, at: number, isWhole: boolean, joint: Joint): SecretSpan | number {
  for (const mark of quotes) {
    const from = mark(text, at, isWhole);
    if (from === no) continue;
    if (from < 0) return from;
    return matchShape(text, from, isWhole, { body: quotedBody, close: mark, isLikely: isSecretText });
  }
  const isLikely = (value: string): boolean => isSecretWord(value, joint);
  return matchShape(text, at, isWhole, { body: bareBody, close: bareEnd, isLikely });
}

interface ValueShape {
  readonly body: Part;
  readonly close: Part;
  readonly isLikely: (value: string) => boolean;
}

/** A value that fills the examined length is a secret even without its closing part. The rest of it is redacted too. */
function matchShape(
  text: string,
  from: number,
  isWhole: boolean,
  { body, close, isLikely }: ValueShape,
): SecretSpan | number {
  const to = body(text, from, isWhole);
  if (to < 0) return to;
  if (!isLikely(text.slice(from, to))) return no;
  if (to - from === maxExamined) return { from, to, rest: restOf(bare) };
  const end = close(text, to, isWhole);
  return end < 0 ? end : { from, to };
}

/** True for a text with letters and a digit or a sign that words do not have, unless it is a path or an address. */
function isSecretText(value: string): boolean {
  return (
    /[A-Za-z]/.test(value) && /[\d!@#%^*+~]/.test(value) && !/:\/\/|^(?:\.{0,2}|~|@[\w-]+)\/(?=.{0,38}$)/.test(value)
  );
}

/** Judges a value without quotes more strictly: it is probably the name of a variable or a type. */
function isSecretWord(value: string, { isSetting, isWide, isColon }: Joint): boolean {
  if (value.includes("://")) return false;
  if (isSetting) return /[A-Za-z]/.test(value) && !/^(?:undefined|required|optional|redacted)$/i.test(value);
  if (!isSecretText(value)) return false;
  const isName = /^[A-Za-z_][\w.-]*$/.test(value);
  if (!isName) return true;
  const digits = value.replace(/\D/g, "").length;
  if (isWide) return value.length >= 16 && digits >= 4;
  return isColon ? /^[a-z]/.test(value) && !value.includes(".") : !value.includes(".");
}
