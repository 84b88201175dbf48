// Describes the part of a text that is most like a search that was not found, in bounded time.

import { findText } from "./find-text.js";
import { lookAlike } from "./look-alike.js";
import { cutTo } from "../../core/internal.js";

const maxShownLines = 12;
const maxLineCharacters = 200;
/** Time limit in milliseconds. */
const maxMilliseconds = 500;

interface Near {
  /** The index of the first line, and the number of lines. */
  readonly from: number;
  readonly count: number;
  /** True if only white space differs. */
  readonly isSpacing: boolean;
}

/** Describes the lines that are most like the search, and how they differ, for the model. */
export function describeNearest(text: string, search: string): string {
  if (hasNumbers(text, search))
    return "The lines of the search begin with numbers, as read_file shows them. They are not part of the file: leave them out.";
  const lines = text.split("\n");
  const wanted = withoutBlankEnds(search.split("\n"));
  const near = nearestBySpacing(text, search) ?? nearestByLines(lines, wanted);
  if (near === undefined) return "Nothing in the file is like it. Read the file again, and search for what it holds.";
  const shown = lines.slice(near.from, near.from + Math.min(near.count, maxShownLines));
  const width = String(near.from + shown.length).length;
  const numbered = shown.map(
    (line, at) => `${String(near.from + at + 1).padStart(width)}\t${cut(line.replace(/\r$/, ""))}`,
  );
  const last = near.from + near.count;
  const where = near.count === 1 ? `line ${String(last)}` : `lines ${String(near.from + 1)} to ${String(last)}`;
  const differs = difference(lines.slice(near.from, last), wanted, near);
  return [`The nearest place is ${where}:`, ...numbered, ...(near.count > maxShownLines ? ["…"] : []), differs].join(
    "\n",
  );
}

/** Removes blank lines at both ends: they don't help to find the lines that are meant. */
function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const isFilled = (line: string): boolean => line.trim() !== "";
  const first = lines.findIndex(isFilled);
  return first < 0 ? lines : lines.slice(first, lines.findLastIndex(isFilled) + 1);
}

/** True if removing the line numbers at the start of each line makes the search match. */
function hasNumbers(text: string, search: string): boolean {
  const lines = search.split("\n");
  const number = /^ *\d+(?:\t|\| )/;
  if (!lines.every((line) => line === "" || number.test(line))) return false;
  return findText(text, lines.map((line) => line.replace(number, "")).join("\n")).length > 0;
}

/** The lines that differ from the search only in white space, including line breaks. */
function nearestBySpacing(text: string, search: string): Near | undefined {
  const squashed = withoutSpace(search);
  if (squashed === "") return undefined;
  const at = withoutSpace(text).indexOf(squashed);
  if (at < 0) return undefined;
  let left = at;
  let line = 0;
  let place = 0;
  const advance = (): void => {
    for (; place < text.length; place += 1) {
      const code = text.charCodeAt(place);
      if (code === 10) line += 1;
      if (isSpace(code, text, place)) continue;
      if (left === 0) return;
      left -= 1;
    }
  };
  advance();
  const from = line;
  left = squashed.length - 1;
  advance();
  return { from, count: line - from + 1, isSpacing: true };
}

/** A loop, because a regular expression over millions of line ends has sometimes overflowed the engine's stack. */
function withoutSpace(text: string): string {
  const words: string[] = [];
  let from = -1;
  for (let place = 0; place <= text.length; place += 1) {
    const isWord = place < text.length && !isSpace(text.charCodeAt(place), text, place);
    if (isWord === from >= 0) continue;
    if (!isWord) words.push(text.slice(from, place));
    from = isWord ? place : -1;
  }
  return words.join("");
}

function isSpace(code: number, text: string, place: number): boolean {
  return code <= 32 ? code === 32 || (code >= 9 && code <= 13) : code > 127 && /\s/.test(text.charAt(place));
}

/**
 * The position that shares most lines with the search. Without a shared line: the position of the line most like the
 * longest line of the search.
 */
function nearestByLines(lines: readonly string[], wanted: readonly string[]): Near | undefined {
  const places = new Map<string, number>();
  wanted.forEach((line, at) => {
    const known = line.trim();
    if (known.length > 2 && !places.has(known)) places.set(known, at);
  });
  const votes = new Map<number, number>();
  lines.forEach((line, at) => {
    const place = places.get(line.trim());
    if (place !== undefined) votes.set(at - place, (votes.get(at - place) ?? 0) + 1);
  });
  let best: number | undefined;
  for (const [from, count] of votes) if (best === undefined || count > (votes.get(best) ?? 0)) best = from;
  best ??= nearestByLongest(lines, wanted);
  if (best === undefined) return undefined;
  const from = Math.max(0, best);
  return { from, count: Math.max(1, Math.min(wanted.length, lines.length - from)), isSpacing: false };
}

/**
 * Compares the longest line of the search with each line, by the groups of three characters that both have. Returns the
 * line at which the search would begin.
 */
function nearestByLongest(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((best, line) => (line.trim().length > best.trim().length ? line : best), "");
  const sought = groups(longest.trim().slice(0, maxLineCharacters));
  if (sought.size === 0) return undefined;
  const deadline = performance.now() + maxMilliseconds;
  let best = { at: -1, score: 0.5 };
  for (const [at, line] of lines.entries()) {
    if (at % 256 === 0 && performance.now() > deadline) break;
    const found = groups(line.trim().slice(0, maxLineCharacters));
    let shared = 0;
    for (const group of found) if (sought.has(group)) shared += 1;
    const score = (2 * shared) / (found.size + sought.size);
    if (score > best.score) best = { at, score };
  }
  return best.at < 0 ? undefined : best.at - wanted.indexOf(longest);
}

function groups(line: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at + 3 <= line.length; at += 1) found.add(line.slice(at, at + 3));
  return found;
}

/** Describes the first line that differs. */
function difference(there: readonly string[], wanted: readonly string[], { from, isSpacing }: Near): string {
  if (wanted.some((line) => line.endsWith("\r")) !== there.some((line) => line.endsWith("\r")))
    return "The line ends differ: end the lines of the search with a line break alone.";
  if (isSpacing && there.length !== wanted.length) return "Only white space differs: the lines are broken elsewhere.";
  const at = wanted.findIndex((line, index) => !(there[index] ?? "").includes(line));
  const [stands, sought] = [there[at] ?? there[0] ?? "", wanted[at] ?? wanted[0] ?? ""];
  const line = String(from + Math.max(0, at) + 1);
  const both = `Line ${line} is ${quoted(stands)} there, ${quoted(sought)} in the search.${lookAlike(cut(stands), cut(sought))}`;
  return isSpacing ? `Only white space differs${kindOfSpacing(stands, sought)}. ${both}` : both;
}

function kindOfSpacing(stands: string, sought: string): string {
  if (stands.includes("\t") !== sought.includes("\t")) return ": tabs and spaces";
  const indent = (line: string): string => /^\s*/.exec(line)?.[0] ?? "";
  if (indent(stands) !== indent(sought)) return ": the indentation";
  return stands.trimEnd() === sought.trimEnd() ? ": spaces at the end of a line" : "";
}

function quoted(line: string): string {
  return JSON.stringify(cut(line));
}

function cut(line: string): string {
  return cutTo(line, maxLineCharacters + 1);
}
