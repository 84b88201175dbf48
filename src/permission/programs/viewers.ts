// Programs that show one file after the other, with the words by which they do nothing else.

import type { SafeProgram } from "./safe-program.js";

const list = (names: string): readonly string[] => names.split(" ");

/** Without a terminal a pager prints its files. A word that begins with a + is a command for it. */
const noCommand = /^(?!\+)/s;

const bat: SafeProgram = {
  flags: "AnPpu",
  valued: "lrH",
  texts: "lrH",
  long: list(
    "plain number show-all language= line-range= highlight-line= paging= color= style= theme= tabs= wrap= terminal-width=",
  ),
  // `bat cache` writes its cache.
  like: /^(?!\+|cache$)/s,
  // These parts of the style look into the repository.
  refuses: /changes|full/,
  obeys: [".config/bat/config"],
  heeds: /^(?:BAT|LESS)|PAGER$/,
  runBy: "cat",
};

/** By name. */
export const viewers: readonly (readonly [name: string, program: SafeProgram])[] = [
  [
    "less",
    {
      flags: "eEfFgGiIJmMnNqQrRsSUwWX",
      long: list("RAW-CONTROL-CHARS LINE-NUMBERS chop-long-lines quit-if-one-screen no-init ignore-case"),
      like: noCommand,
      // A file of keys may set variables, and such a variable names a program that prepares the input.
      obeys: [".less", ".lesskey", ".config/lesskey"],
      heeds: /^LESS/,
    },
  ],
  ["more", { flags: "cdflpsu", like: noCommand, heeds: /^(?:LESS|MORE)/ }],
  ["bat", bat],
  ["batcat", bat],
  ["xxd", { reads: readsOfXxd }],
  ["strings", { reads: readsOfStrings }],
  ["tac", { reads: (words) => (words.length > 0 && words.every(isName) ? words : undefined) }],
  ["tar", { reads: readsOfTar, startsOthers: true, heeds: /^(?:TAR|GZIP|XZ|ZSTD|BZIP)/ }],
  ["unzip", { reads: readsOfUnzip, heeds: /^(?:UNZIP|ZIP)/ }],
];

const isName = (word: string): boolean => /^[^-]/s.test(word);

/**
 * xxd with one file: it writes to a second file. It takes the first letters of an option for the whole option, so that `-ac 8 in`
 * would write to `in`; each option is known as a whole.
 */
function readsOfXxd(words: readonly string[]): readonly string[] | undefined {
  const rest = [...words];
  while (rest[0]?.startsWith("-") === true) {
    const option = rest.shift() ?? "";
    if (/^-(?:p|ps|b|u|e|E|i|a|[cgls]\d+)$/.test(option)) continue;
    if (!/^-[cgls]$/.test(option) || !/^\d+$/.test(rest.shift() ?? "")) return undefined;
  }
  return rest.length <= 1 ? rest : undefined;
}

/** strings takes a word `@FILE` for the words in that file, wherever it stands. */
function readsOfStrings(words: readonly string[]): readonly string[] | undefined {
  const paths: string[] = [];
  const rest = [...words].reverse();
  for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
    if (/^-(?:a|f|w|o|n\d+|\d+|t[dox])$/.test(word)) continue;
    if (word === "-n" || word === "-t") {
      if (!/^(?:\d+|[dox])$/.test(rest.pop() ?? "")) return undefined;
    } else if (/^[^-@]/s.test(word)) paths.push(word);
    else return undefined;
  }
  return paths;
}

/** A name that no program takes for a pattern or for the name of another machine. */
const plainName = /^[\w./][\w./ +@-]*$/;

/** The list of an archive. The first word tells all. */
function readsOfTar([how = "", name = "", ...more]: readonly string[]): readonly string[] | undefined {
  return /^-?t[vzjJ]*f$/.test(how) && plainName.test(name) && more.length === 0 ? [name] : undefined;
}

/** The list of an archive. Without a file of the name, unzip looks for other files. */
function readsOfUnzip([how = "", name = "", ...more]: readonly string[]): readonly string[] | undefined {
  const isList = /^-[lv]$/.test(how) && plainName.test(name) && more.length === 0;
  return isList ? [name, `${name}.zip`, `${name}.ZIP`] : undefined;
}
