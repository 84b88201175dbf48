// Sorts the words of a program into paths and other words.

import type { SafeProgram } from "../programs/safe-program.js";

/** The words of a program, sorted. */
export interface Arguments {
  /** The words that may be paths. */
  readonly paths: readonly string[];
  /** The words that are no values of options: the files and folders that the program works on. */
  readonly targets: readonly string[];
  /** The options by their letter or long name, with the values that each was given; a flag has the value "". */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** The words that are no options. */
  readonly operands: readonly string[];
}

/** The words that may be paths; undefined if a word is an option that is not known to be harmless. */
export function pathsIn(program: SafeProgram, words: readonly string[]): readonly string[] | undefined {
  return argumentsOf(program, words)?.paths;
}

/** Sorts the words; undefined if one is an option that is not known to be harmless. */
export function argumentsOf(program: SafeProgram, words: readonly string[]): Arguments | undefined {
  const options: Options = new Map();
  if (program.takesAnything) return { paths: [], targets: [], options, operands: words };
  if (program.reads !== undefined) {
    const paths = program.reads(words);
    return paths && { paths, targets: paths, options, operands: words };
  }
  const operands: string[] = [];
  const values: string[] = [];
  const late: string[] = [];
  let hasPattern = false;
  const rest = [...words].reverse();
  for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
    // A program with its own language, such as find, goes on with it after `--`.
    if (word === "--" && program.whole !== undefined) return undefined;
    if (word === "--") {
      operands.push(...rest.splice(0).reverse());
      continue;
    }
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      continue;
    }
    const before = rest.length;
    const option = readOption(program, word, rest, options);
    if (option === undefined) return undefined;
    hasPattern ||= option.isPattern === true;
    if (option.value !== undefined) values.push(option.value);
    // awk, and many programs outside of Linux, take options only before the first other word: these are files to them.
    if (operands.length > 0 && program.whole === undefined && !program.takesLateOptions)
      late.push(word, ...words.slice(words.length - before, words.length - rest.length));
  }
  return sort(program, { operands, values: [...values, ...late], options, hasPattern });
}

interface Sorted {
  readonly operands: readonly string[];
  readonly values: readonly string[];
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly hasPattern: boolean;
}

function sort(program: SafeProgram, { operands, values, options, hasPattern }: Sorted): Arguments | undefined {
  const { maxWords = Infinity, wordsNeed, needsOption, like, words, refuses } = program;
  if (needsOption && options.size === 0) return undefined;
  if (operands.length > maxWords) return undefined;
  if (operands.length > 0 && wordsNeed !== undefined && !wordsNeed.some((name) => options.has(name))) return undefined;
  if (refuses !== undefined && [...options.values()].flat().some((value) => refuses.test(value))) return undefined;
  const skipped = words === "pattern" && !hasPattern ? 1 : 0;
  const checked = words === "pattern" ? operands.slice(0, skipped) : operands;
  if (like !== undefined && !checked.every((word) => like.test(word))) return undefined;
  const targets = words === "text" ? [] : operands.slice(skipped);
  return { paths: words === "text" ? [] : [...targets, ...values], targets, options, operands };
}

interface Option {
  /** A value that may be a path. */
  readonly value?: string;
  /** True if the option gives the patterns, or needs none, so that no other word is a pattern. */
  readonly isPattern?: boolean;
}

type Options = Map<string, string[]>;

function readOption(program: SafeProgram, word: string, rest: string[], options: Options): Option | undefined {
  const note = (name: string, value = ""): void => {
    const values = options.get(name);
    if (values === undefined) options.set(name, [value]);
    else values.push(value);
  };
  if (program.whole !== undefined && !/^-[HP]$/.test(word)) return readWhole(program.whole, word, rest);
  return word.startsWith("--")
    ? readLong(program, word.slice(2), rest, note)
    : readShort(program, word.slice(1), rest, note);
}

type Note = (name: string, value?: string) => void;

function readWhole(known: readonly string[], word: string, rest: string[]): Option | undefined {
  if (known.includes(word)) return {};
  const isValued = known.includes(`${word}=`);
  return isValued ? valueOf(rest.pop(), word === "-newer" ? word : "") : undefined;
}

/** Long options must be written out; abbreviations are not resolved. */
function readLong(
  { long = [], pairs = {}, words }: SafeProgram,
  word: string,
  rest: string[],
  note: Note,
): Option | undefined {
  const [, name = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const pair = Object.hasOwn(pairs, name) ? pairs[name] : undefined;
  if (pair !== undefined) {
    const [first, second] = [rest.pop(), rest.pop()];
    if (value !== undefined || first === undefined || second === undefined) return undefined;
    return pair === "path" ? { value: second } : {};
  }
  const isPattern = words === "pattern" && /^(?:regexp|file|files|type-list)$/.test(name);
  if (value === undefined && long.includes(name)) {
    note(name);
    return { isPattern };
  }
  if (!long.includes(`${name}=`)) return undefined;
  const given = value ?? rest.pop();
  note(name, given);
  return name === "regexp" ? pattern(given) : withPattern(valueOf(given, name), isPattern);
}

/** Several short options in one word; the last option may have a value. */
function readShort(
  { flags = "", valued = "", texts = "", words }: SafeProgram,
  letters: string,
  rest: string[],
  note: Note,
): Option | undefined {
  for (let index = 0; index < letters.length; index += 1) {
    const letter = letters.charAt(index);
    if (flags.includes(letter)) {
      note(letter);
      continue;
    }
    if (!valued.includes(letter)) return undefined;
    const attached = letters.slice(index + 1);
    const given = attached === "" ? rest.pop() : attached;
    note(letter, given);
    if (words === "pattern" && letter === "e") return pattern(given);
    if (texts.includes(letter)) return given === undefined ? undefined : {};
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
