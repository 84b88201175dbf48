// Reads which files a program lists: the names that it hands on to another one.

import { argumentsOf, type Arguments } from "./program-options.js";
import { gitCommandOf } from "./git-commands.js";
import type { Separator } from "./fed-programs.js";
import { safePrograms } from "./programs.js";

/** The files that a program may list, at most. */
export interface Listing {
  /** The folders and files in which they are, as they are written; each name begins with one of them. */
  readonly places: readonly string[];
  /** True if a name begins without its place: then it may look like an option. */
  readonly isBare: boolean;
  /** The form of their last names, with `*` and `?`; undefined for any. */
  readonly named: string | undefined;
  /** True if no name is that of a link, as the program says. */
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
  return listing.ends === "lines" && filters.every(passesLines) ? listing : undefined;
}

function passesLines([name, ...rest]: readonly string[]): boolean {
  const text = rest.join("\0");
  if (name === "sort" || name === "uniq") return /^(?:-[ru]+)?$/.test(text);
  if (name === "head" || name === "tail") return /^(?:-\d+|-n\0?\d+)?$/.test(text);
  return name === "grep" && /^(?:-[vEFiw]+\0)*[^-\0][^\0]*$/.test(text);
}

const literal = /^[\w.@-]+$/;
const whole = /^[\w.@-]+(?:\/[\w.@-]+)*$|^\.(?:\/[\w.@-]+)+$/;

/** Reads the words of a `find` without actions of its own but printing. */
export function listedByFind(words: readonly string[]): Listing | undefined {
  const firstTest = words.findIndex((word) => /^-.|^[(!]$/s.test(word) && !/^-[HP]$/.test(word));
  const places = words.slice(0, firstTest < 0 ? undefined : firstTest).filter((word) => !/^-[HP]$/.test(word));
  const state = {
    named: undefined as string | undefined,
    hasNoLinks: false,
    depth: Infinity,
    ends: "lines" as "lines" | "nuls",
  };
  const withoutNames: string[] = [];
  const withoutPaths: string[] = [];
  let rest = firstTest < 0 ? [] : words.slice(firstTest);
  // `-path ./x -prune -o` and the like, in front.
  for (
    let [test, value = "", action, or] = rest;
    action === "-prune" && or === "-o";
    [test, value = "", action, or] = rest
  ) {
    if (test === "-name" && literal.test(value)) withoutNames.push(value);
    else if (test === "-path" && whole.test(value)) withoutPaths.push(value);
    else if (test === "-path" && /^\*\/[\w.@-]+$/.test(value)) withoutNames.push(value.slice(2));
    else if (!/^-(?:name|path)$/.test(test ?? "")) return undefined;
    rest = rest.slice(4);
  }
  // With these, a folder is not left out before its files were seen.
  const isPruned = withoutNames.length + withoutPaths.length > 0;
  if (isPruned && words.some((word) => /^-(?:depth|mindepth)$/.test(word))) return undefined;
  // With an alternative, a test says nothing about all names.
  const isConjunction = !rest.some((word) => /^(?:-o|-or|[(),])$/.test(word));
  for (let at = 0; at < rest.length; at += 1) {
    const [word = "", value = ""] = rest.slice(at);
    const isNot = /^(?:!|-not)$/.test(rest[at - 1] ?? "");
    if (/^-(?:printf|ls|fprint|delete|exec|ok|quit|files0-from)/.test(word)) return undefined;
    if (word === "-print0") state.ends = "nuls";
    if (word === "-maxdepth" && /^\d{1,3}$/.test(value)) state.depth = Number(value);
    if (!isConjunction) continue;
    if (word === "-type" && !isNot && !value.includes("l")) state.hasNoLinks = true;
    if (word === "-name" && !isNot && !/[[\\]/.test(value)) state.named = value;
    const left = isNot && /^-(?:path|wholename)$/.test(word) ? /^(.+)\/\*$/s.exec(value)?.[1] : undefined;
    if (left === undefined) continue;
    if (/^\*\/[\w.@-]+$/.test(left)) withoutNames.push(left.slice(2));
    else if (whole.test(left)) withoutPaths.push(left);
  }
  const isMixed = state.ends === "nuls" && rest.includes("-print");
  if (isMixed) return undefined;
  return {
    places: places.length === 0 ? ["."] : places,
    isBare: false,
    ...state,
    withoutNames,
    withoutPaths,
    from: "folders",
  };
}

const all = { named: undefined, depth: Infinity, withoutNames: [], withoutPaths: [] } as const;

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
