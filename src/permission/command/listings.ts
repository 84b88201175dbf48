// Reads which files a program lists: the names that it hands on to another program.

import { argumentsOf, type Arguments } from "./program-options.js";
import { gitCommandOf } from "./git-commands.js";
import type { Separator } from "./fed-programs.js";
import { safePrograms } from "./programs.js";

/** The files that a program may list, at most. */
export interface Listing {
  /** The folders and files in which they are, as they are written; each name begins with such a place. */
  readonly places: readonly string[];
  /** True if a name begins without its place: then it may look like an option. */
  readonly isBare: boolean;
  /** True if every name has to be plain ASCII: another name makes a program on the way print its own words. */
  readonly isAscii: boolean;
  /** The form of their last names, with `*`; undefined for any. */
  readonly named: string | undefined;
  /** True if no name is the name of a link, as the program says. */
  readonly hasNoLinks: boolean;
  /** The number of folders below a place; Infinity for any. */
  readonly depth: number;
  /** The folders that are left out: by their name anywhere below a place, or by their whole path. */
  readonly withoutNames: readonly string[];
  readonly withoutPaths: readonly string[];
  /** Where the names come from: the folders themselves, or the index of git. */
  readonly from: "folders" | "index";
  readonly ends: Exclude<Separator, "blanks">;
}

/** The files that the last of the programs in a pipeline lists; undefined if nobody can tell. */
export function listingOf(pipeline: readonly (readonly string[])[]): Listing | undefined {
  const [source, ...filters] = pipeline;
  const [name = "", ...rest] = source ?? [];
  const listing =
    name === "find" ? listedByFind(rest) : name === "git" ? listedByGit(rest) : listedBySearch(name, rest);
  if (listing === undefined || filters.length === 0) return listing;
  // These pass on some of the lines, each as it is.
  const isAscii = filters.some(([program]) => program === "grep");
  return listing.ends === "lines" && filters.every(passesLines) ? { ...listing, isAscii } : undefined;
}

function passesLines([name, ...rest]: readonly string[]): boolean {
  const text = rest.join("\0");
  if (name === "sort" || name === "uniq") return /^(?:-[ru]+)?$/.test(text);
  if (name === "head" || name === "tail") return /^(?:-\d+|-n\0?\d+)?$/.test(text);
  return name === "grep" && /^(?:-[vEFiw]+\0)*[^-\0][^\0]*$/.test(text);
}

const literal = /^[\w.@-]+$/;
const whole = /^[\w.@-]+(?:\/[\w.@-]+)*$|^\.(?:\/[\w.@-]+)+$/;

interface FindState {
  named: string | undefined;
  hasNoLinks: boolean;
  depth: number;
  ends: "lines" | "nuls";
  readonly withoutNames: string[];
  readonly withoutPaths: string[];
}

/**
 * Reads the words of a `find` without actions but printing. `acts`: they stand before an action. Whatever is not known leaves nothing
 * out.
 */
export function listedByFind(words: readonly string[], acts = false): Listing | undefined {
  const program = safePrograms.get("find");
  if (program === undefined || argumentsOf(program, words) === undefined) return undefined;
  const firstTest = words.findIndex((word) => /^-.|^[(!]$/s.test(word) && !/^-[HP]$/.test(word));
  const places = words.slice(0, firstTest < 0 ? undefined : firstTest).filter((word) => !/^-[HP]$/.test(word));
  const state: FindState = {
    named: undefined,
    hasNoLinks: false,
    depth: Infinity,
    ends: "lines",
    withoutNames: [],
    withoutPaths: [],
  };
  const tests = firstTest < 0 ? [] : words.slice(firstTest);
  const rest = takePrunes(tests, state);
  const steps = stepsOf(rest, (word) => program.whole?.includes(`${word}=`) === true);
  const has = (...names: readonly string[]): boolean => steps.some(({ word }) => names.includes(word));
  if (has("-printf", "-ls", "-quit") || (has("-print") && has("-print0"))) return undefined;
  const isPruned = rest.length < tests.length;
  // With these, a folder is not left out before its files were seen.
  if (isPruned && has("-depth", "-mindepth")) return undefined;
  if (has("-print0")) state.ends = "nuls";
  const depth = steps.find(({ word }) => word === "-maxdepth")?.value ?? "";
  if (/^\d{1,3}$/.test(depth)) state.depth = Number(depth);
  // With an alternative, a test says nothing about all names; without an action, what is pruned is printed as well.
  const isAlternative = has("-o", "-or", "(", ")") || (isPruned && !acts && !has("-print", "-print0"));
  // A test behind `-print` comes too late for it.
  const action = steps.findIndex(({ word }) => /^-print0?$/.test(word));
  if (!isAlternative) for (const step of steps.slice(0, action < 0 ? undefined : action)) takeTest(step, state);
  return { ...state, places: places.length === 0 ? ["."] : places, isBare: false, isAscii: false, from: "folders" };
}

/** Takes `-path ./x -prune -o` and the like away from the front. */
function takePrunes(tests: readonly string[], state: FindState): readonly string[] {
  const { withoutNames, withoutPaths } = state;
  const [test = "", value = "", action, or] = tests;
  if (!/^-(?:name|path)$/.test(test) || action !== "-prune" || or !== "-o") return tests;
  if (test === "-name" && literal.test(value)) withoutNames.push(value);
  if (test === "-path" && whole.test(value)) withoutPaths.push(value);
  if (test === "-path" && /^\*\/[\w.@-]+$/.test(value)) withoutNames.push(value.slice(2));
  return takePrunes(tests.slice(4), state);
}

/** A test or an action with its value, if it has one; `isNot` if an odd number of negations stands before it. */
interface Step {
  readonly word: string;
  readonly value: string;
  readonly isNot: boolean;
}

function stepsOf(words: readonly string[], isValued: (word: string) => boolean): readonly Step[] {
  const steps: Step[] = [];
  let isNot = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (/^(?:!|-not)$/.test(word)) {
      isNot = !isNot;
      continue;
    }
    const hasValue = isValued(word);
    steps.push({ word, value: hasValue ? (words[at + 1] ?? "") : "", isNot });
    isNot = false;
    if (hasValue) at += 1;
  }
  return steps;
}

function takeTest({ word, value, isNot }: Step, state: FindState): void {
  if (word === "-type" && !isNot && !value.includes("l")) state.hasNoLinks = true;
  // A ? is one byte in some languages, and one character in other languages.
  if (word === "-name" && !isNot && !/[[\\?]/.test(value)) state.named = value;
  const left = isNot && /^-(?:path|wholename)$/.test(word) ? /^(.+)\/\*$/s.exec(value)?.[1] : undefined;
  if (left === undefined) return;
  if (/^\*\/[\w.@-]+$/.test(left)) state.withoutNames.push(left.slice(2));
  else if (whole.test(left)) state.withoutPaths.push(left);
}

const all = { named: undefined, isAscii: false, depth: Infinity, withoutNames: [], withoutPaths: [] } as const;

/** `git ls-files`, with words that only leave out some. */
function listedByGit(words: readonly string[]): Listing | undefined {
  const call = gitCommandOf(words);
  const [first, second] = words;
  if (call === undefined || (first === "--no-pager" ? second : first) !== "ls-files") return undefined;
  const [options, given] = [
    call.words.filter((word) => word.startsWith("-")),
    call.words.filter((word) => !word.startsWith("-")),
  ];
  if (!options.every((word) => /^(?:-c|--cached|-z|--)$/.test(word))) return undefined;
  const only = given.length === 1 && /^\*\.\w+$/.test(given[0] ?? "") ? given[0] : undefined;
  const ends = options.includes("-z") ? "nuls" : "lines";
  return { ...all, places: ["."], isBare: true, named: only, hasNoLinks: false, from: "index", ends };
}

const searchOptions: ReadonlySet<string> = new Set(
  "l files-with-matches files r recursive i ignore-case w word-regexp F fixed-strings E extended-regexp e regexp g glob iglob t type S smart-case s case-sensitive include exclude exclude-dir I hidden n line-number 0 null".split(
    " ",
  ),
);

/** `rg -l`, `rg --files` and `grep -rl`. They name no link that they find. */
function listedBySearch(name: string, words: readonly string[]): Listing | undefined {
  const program = name === "rg" || name === "grep" ? safePrograms.get(name) : undefined;
  const sorted = program && argumentsOf(program, words);
  if (sorted === undefined || ![...sorted.options.keys()].every((option) => searchOptions.has(option)))
    return undefined;
  const has = (...names: readonly string[]): boolean => names.some((one) => sorted.options.has(one));
  if (!has("l", "files-with-matches", "files") || (name === "grep" && !has("r", "recursive"))) return undefined;
  return listed(name, sorted);
}

function listed(name: string, { targets, options }: Arguments): Listing {
  const isZero = options.has("null") || (name === "rg" && options.has("0"));
  const isBare = targets.length === 0;
  return {
    ...all,
    places: isBare ? ["."] : targets,
    isBare,
    hasNoLinks: true,
    from: "folders",
    ends: isZero ? "nuls" : "lines",
  };
}
