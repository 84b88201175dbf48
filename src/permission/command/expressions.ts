// Reads the words of programs that have their own small language: test, printf, xargs and ps.

import { unknownText } from "./words.js";

const ofFiles = /^-[bcdefghkLOpGrsSuwx]$/;
const ofTexts = /^-[nz]$/;
const comparesTexts = /^!?=$/;
const comparesNumbers = /^-(?:eq|ne|gt|ge|lt|le)$/;
const comparesFiles = /^-(?:nt|ot|ef)$/;
/** A NUL stands for digits that only the shell knows. */
const number = /^[+-]?\d+$|^\0$/;
const isNumber = /^[+-]?\d+(?:\.\d+)?$|^\0$/;

/** The files that `test` looks at; undefined if nobody can tell. Some shells calculate numbers, so they must be digits. */
export function readsOfTest(words: readonly string[]): readonly string[] | undefined {
  const paths: string[] = [];
  let term: string[] = [];
  for (const word of [...words, "-a"]) {
    if (word !== "-a" && word !== "-o") {
      term.push(word);
      continue;
    }
    const read = readsOfTerm(term[0] === "!" ? term.slice(1) : term);
    if (read === undefined) return undefined;
    paths.push(...read);
    term = [];
  }
  return paths;
}

function readsOfTerm([first, second, third, ...more]: readonly string[]): readonly string[] | undefined {
  if (first === undefined || more.length > 0) return undefined;
  if (second === undefined) return [];
  if (third === undefined) return ofFiles.test(first) ? [second] : ofTexts.test(first) ? [] : undefined;
  if (comparesTexts.test(second)) return [];
  if (comparesNumbers.test(second)) return number.test(first) && number.test(third) ? [] : undefined;
  return comparesFiles.test(second) ? [first, third] : undefined;
}

const conversion = /%%|%[-+ #0]*\d*(?:\.\d+)?([sbcdiouxXeEfFgG])/g;

/**
 * `printf` with a format that is known. Some shells calculate the value for a number, and run commands that stand in it: such a value has
 * to be a number.
 */
export function readsOfPrintf(words: readonly string[]): readonly string[] | undefined {
  const [format = "", ...values] = words[0] === "--" ? words.slice(1) : words;
  const isKnown = !format.startsWith("-") && !format.includes(unknownText);
  if (!isKnown || format.replaceAll(conversion, ",").includes("%")) return undefined;
  const kinds = [...format.matchAll(conversion)].flatMap(([, kind]) => kind ?? []);
  // A format is used again for the values that are left.
  const fits = (value: string, index: number): boolean =>
    kinds.length === 0 || /[sbc]/.test(kinds[index % kinds.length] ?? "") || isNumber.test(value);
  return values.every(fits) ? [] : undefined;
}

/** xargs with `echo` alone, which prints whatever it gets. */
export function readsOfXargs(words: readonly string[]): readonly string[] | undefined {
  const rest = [...words];
  while (rest[0]?.startsWith("-") === true) {
    const option = rest.shift() ?? "";
    if (/^-(?:[0rt]+|[nL]\d+)$/.test(option)) continue;
    if (!/^-[nL]$/.test(option) || !/^\d+$/.test(rest.shift() ?? "")) return undefined;
  }
  return rest.length === 0 || rest[0] === "echo" ? [] : undefined;
}

/**
 * ps with one word in its old form, or with options alone. If it can't make sense of a word or of a mixture, it reads all words
 * anew in the old form, in which an `e` prints the variables of every process.
 */
export function readsOfPs(words: readonly string[]): readonly string[] | undefined {
  const isOld = words.length === 1 && /^(?:a?ux?|ax|x|a|w)w*$/.test(words[0] ?? "");
  const isNew = words.every(
    (word, index) =>
      /^-[eAfFlwH]+$/.test(word) ||
      (word === "-p" && /^\d+$/.test(words[index + 1] ?? "")) ||
      (words[index - 1] === "-p" && /^\d+$/.test(word)),
  );
  return isOld || isNew ? [] : undefined;
}
