// Sorts the words of a program into paths and other words.

import type { SafeProgram } from "./programs.js";

/** The words that may be paths; undefined if a word is an option that is not known to be harmless. */
export function pathsIn(program: SafeProgram, words: readonly string[]): readonly string[] | undefined {
  if (program.takesAnything) return [];
  const positional: string[] = [];
  const values: string[] = [];
  let hasPattern = false;
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") {
      positional.push(...rest.splice(0));
      continue;
    }
    if (!word.startsWith("-") || word === "-") {
      positional.push(word);
      continue;
    }
    const option = readOption(program, word, rest);
    if (option === undefined) return undefined;
    hasPattern ||= option.isPattern === true;
    if (option.value !== undefined) values.push(option.value);
  }
  if (positional.length > (program.maxWords ?? Infinity)) return undefined;
  const skipped = program.words === "pattern" && !hasPattern ? 1 : 0;
  const checked = program.words === "pattern" ? positional.slice(0, skipped) : positional;
  if (program.like !== undefined && !checked.every((word) => program.like?.test(word))) return undefined;
  if (program.words === "text") return [];
  return [...positional.slice(skipped), ...values];
}

interface Option {
  /** A value that may be a path. */
  readonly value?: string;
  /** True if the option gives the patterns, or needs none, so that no other word is a pattern. */
  readonly isPattern?: boolean;
}

function readOption(program: SafeProgram, word: string, rest: string[]): Option | undefined {
  if (program.whole !== undefined && !/^-[HP]$/.test(word)) return readWhole(program.whole, word, rest);
  return word.startsWith("--") ? readLong(program, word.slice(2), rest) : readShort(program, word.slice(1), rest);
}

function readWhole(known: readonly string[], word: string, rest: string[]): Option | undefined {
  if (known.includes(word)) return {};
  const isValued = known.includes(`${word}=`);
  return isValued ? valueOf(rest.shift(), word === "-newer" ? word : "") : undefined;
}

/** Long options must be written out; abbreviations are not resolved. */
function readLong({ long = [], words }: SafeProgram, word: string, rest: string[]): Option | undefined {
  const [, name = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const isPattern = words === "pattern" && /^(?:regexp|file|files|type-list)$/.test(name);
  if (value === undefined && long.includes(name)) return { isPattern };
  if (!long.includes(`${name}=`)) return undefined;
  const given = value ?? rest.shift();
  return name === "regexp" ? pattern(given) : withPattern(valueOf(given, name), isPattern);
}

/** Several short options in one word; the last one may have a value. */
function readShort(
  { flags = "", valued = "", words }: SafeProgram,
  letters: string,
  rest: string[],
): Option | undefined {
  for (let index = 0; index < letters.length; index += 1) {
    const letter = letters.charAt(index);
    if (flags.includes(letter)) continue;
    if (!valued.includes(letter)) return undefined;
    const attached = letters.slice(index + 1);
    const given = attached === "" ? rest.shift() : attached;
    if (words === "pattern" && letter === "e") return pattern(given);
    return withPattern(valueOf(given, letter), words === "pattern" && letter === "f");
  }
  return {};
}

function pattern(given: string | undefined): Option | undefined {
  return given === undefined ? undefined : { isPattern: true };
}

function withPattern(option: Option | undefined, isPattern: boolean): Option | undefined {
  return option && { ...option, isPattern };
}

/** Leaves out values that are no file names: a pattern may well begin with a slash. */
function valueOf(value: string | undefined, name: string): Option | undefined {
  if (value === undefined) return undefined;
  return /^(?:f|file|-newer|from-file|to-file)$/.test(name) || /^[/~]|\.\./.test(value) ? { value } : {};
}
