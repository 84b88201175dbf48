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

/** Names that also announce other things than secrets, so only a value that looks random counts. */
const doubtful: readonly string[] = [
  ...["service", "master", "session", "admin", "storage", "shared", "consumer", "webhook", "hmac", "jwt", "app"],
].flatMap((owner) => [`${owner}_key`, `${owner}-key`]);

/** Matches one of the names. */
function nameOf(expected: readonly string[]): Part {
  const read = oneOf(...expected.map((name) => sequence(words(name, true), notBefore(nameText))));
  const whole = new RegExp(`(?:${expected.join("|")})(?![\\w-])`, "iy");
  const longest = Math.max(...expected.map(({ length }) => length));
  return (text, at, isWhole) => {
    // Near the end of the text, only the parts can tell if more text is needed. Elsewhere, the expression is faster.
    if (at + longest >= text.length) return read(text, at, isWhole);
    whole.lastIndex = at;
    return whole.test(text) ? whole.lastIndex : no;
  };
}

const nameText = characters(/[\w-]/);
const alphanumeric = characters(/[A-Za-z0-9]/);
const blank = characters(/[ \t]/);
const quoted = characters(/[^\s"'`\\{}<>]/);
const bare = characters(/[^\s"'`\\{}<>()[\],;$&|]/);
const ends = characters(/[^\s"'`\\]/);
const marks = ['\\"', '"', "'", "`"];

/** The maximum number of characters of a value that are examined. */
const maxExamined = 128;

/** The name and the text between it and the value. */
interface Joint {
  readonly name: string;
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

interface Announcement {
  readonly names: readonly string[];
  readonly mayFollow: Format["mayFollow"];
  /** Judges a value in quotes. */
  readonly isQuotedSecret: (value: string, joint: Joint) => boolean;
  /** Judges a value without quotes. */
  readonly isBareSecret: (value: string, joint: Joint) => boolean;
}

function assignmentOf({ names, mayFollow, isQuotedSecret, isBareSecret }: Announcement): Format {
  const readName = nameOf(names);
  return {
    kind: "secret",
    openers: names,
    mayFollow,
    match(text, at, isWhole) {
      const end = readName(text, at, isWhole);
      if (end < 0) return end;
      const signStart = closing(text, end, isWhole);
      if (signStart < 0) return signStart;
      const signEnd = separator(text, signStart, isWhole);
      if (signEnd < 0) return signEnd;
      const from = lead(text, signEnd, isWhole);
      if (from < 0) return from;
      const between = text.slice(end, from);
      const name = text.slice(at, end);
      const joint = {
        name,
        isSetting: between === "=" && name === name.toUpperCase(),
        isWide: between.includes("=") && /\s/.test(between),
        isColon: between.includes(":"),
      };
      for (const mark of quotes) {
        const inside = mark(text, from, isWhole);
        if (inside === no) continue;
        if (inside < 0) return inside;
        const isLikely = (value: string): boolean => isQuotedSecret(value, joint);
        return matchShape(text, inside, isWhole, { body: quotedBody, close: mark, isLikely });
      }
      const isLikely = (value: string): boolean => isBareSecret(value, joint);
      return matchShape(text, from, isWhole, { body: bareBody, close: bareEnd, isLikely });
    },
  };
}

/** A name begins a word, also within a name in camel case. */
const beginsWord: Format["mayFollow"] = (before, text, at) =>
  !isOf(alphanumeric, before) || (/[a-z]/.test(String.fromCharCode(before)) && /[A-Z]/.test(text.charAt(at)));

export const assignments: readonly Format[] = [
  assignmentOf({ names, mayFollow: beginsWord, isQuotedSecret: isSecretString, isBareSecret: isSecretWord }),
  assignmentOf({
    names: doubtful,
    mayFollow: beginsWord,
    isQuotedSecret: (value) => isRandom(value, 20),
    isBareSecret: (value, { isSetting }) => isSetting && isRandom(value, 20, 0.25),
  }),
  assignmentOf({
    names: ["_pass"],
    mayFollow: (before) => isOf(alphanumeric, before),
    isQuotedSecret: isSecretText,
    isBareSecret: (value, { isSetting }) => isSetting && isSecretText(value) && !value.includes("://"),
  }),
];

interface ValueShape {
  readonly body: Part;
  readonly close: Part;
  readonly isLikely: (value: string) => boolean;
}

/** A value that fills the examined length is a secret even without its closing part. The rest of the value is redacted too. */
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
export function isSecretText(value: string): boolean {
  return (
    /[A-Za-z]/.test(value) && /[\d!@#%^*+~]/.test(value) && !/:\/\/|^(?:\.{0,2}|~|@[\w-]+)\/(?=.{0,38}$)/.test(value)
  );
}

function isSecretString(value: string, { name }: Joint): boolean {
  return isSecretText(value) || isAwsKey(value, name);
}

/** AWS documents its secret access keys as 40 characters. */
function isAwsKey(value: string, name: string): boolean {
  return /^access[_-]?key$/i.test(name) && /^[A-Za-z0-9/+]{40}$/.test(value);
}

/** Judges a value without quotes more strictly: it is probably the name of a variable or a type. */
function isSecretWord(value: string, { name, isSetting, isWide, isColon }: Joint): boolean {
  if (value.includes("://")) return false;
  // A shell lists its working directory as PWD.
  if (isSetting && name === "PWD" && value.startsWith("/")) return false;
  if (isSetting) return /[A-Za-z]/.test(value) && !/^(?:undefined|required|optional|redacted)$/i.test(value);
  if (isRandom(value, 32) || isAwsKey(value, name)) return true;
  // No variable and no type has a hyphen: a name with one is a header or a key of a file.
  const isHeader = isColon && name.includes("-");
  if (isHeader && value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value)) return true;
  if (!isSecretText(value)) return false;
  const isName = /^[A-Za-z_][\w.-]*$/.test(value);
  if (!isName || isHeader) return true;
  const digits = value.replace(/\D/g, "").length;
  if (isWide) return value.length >= 16 && digits >= 4;
  return isColon ? /^[a-z]/.test(value) && !value.includes(".") : !value.includes(".");
}

/**
 * The share of places at which a random text changes between small letters, capitals, digits and signs is about 0.6, the share of names
 * about 0.3.
 */
const randomShare = 0.4;

/** True for a text of at least this length in which the kinds of characters change often, or a hexadecimal number or UUID. */
export function isRandom(value: string, least: number, share: number = randomShare): boolean {
  if (value.length < least || !/^[\w+/=-]+$/.test(value)) return false;
  if (/^[0-9a-f-]+$/i.test(value)) return /\d/.test(value);
  const changes = value.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Z])|\d(?=\D)|[+/=_-](?=[^+/=_-])/g)?.length ?? 0;
  return changes >= share * (value.length - 1);
}
