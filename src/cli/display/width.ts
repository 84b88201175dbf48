// Columns of a terminal: measures text, and wraps or cuts lines to fit.

import fastStringWidth from "fast-string-width";
import { closing, openAfter, opening, type OpenStyle } from "./open-styles.js";

/** The columns of a text on one line. Sequences of styles take none. The caller expands tabs. */
export function widthOf(text: string): number {
  if (isAscii(text)) return text.length;
  let width = 0;
  for (const piece of piecesOf(text)) width += piece.width;
  return width;
}

/**
 * Wraps one line into lines of at most `columns` (at least 1). It breaks at a space, which is dropped, or between ideographs, or within
 * a word that is longer than a line. Styles are closed before a break and opened again after it. A grapheme is never broken: a grapheme
 * that is wider than `columns` gets its own line.
 */
export function wrapped(line: string, columns: number): readonly string[] {
  return broken(line, columns, wordEnd);
}

/** The mark before a continued line. A space follows it if the line was broken at one: a broken word can't pass for two. */
const continued = "↪";

/** The columns that a continued line needs to be of use; with less, it is not indented. */
const leastRoom = 16;

/**
 * Wraps each line of a text into lines of at most `columns`, at words. If a line is indented, or begins with the number of an iteration,
 * the lines that continue it are indented as its words, and marked. Tabs become spaces.
 */
export function folded(text: string, columns: number): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const flat = withoutTabs(line);
      const start = /^(?:\[\d+\] +| +)(?:\| )?/.exec(flat.replace(allSequences, ""))?.[0].length ?? 0;
      const hang = start === 0 ? "" : `${" ".repeat(start)}${continued}`;
      return broken(flat, columns, wordEnd, columns - hang.length <= leastRoom ? "" : hang);
    })
    .join("\n");
}

/** The line with spaces up to the next eighth column in place of each tab. */
function withoutTabs(line: string): string {
  const [first = "", ...others] = line.split("\t");
  let column = widthOf(first);
  const rest = others.map((part) => {
    const gap = 8 - (column % 8);
    column += gap + widthOf(part);
    return " ".repeat(gap) + part;
  });
  return first + rest.join("");
}

/** Breaks one line into lines of at most `columns` (at least 1), at any character. For code: no space is dropped. */
export function chopped(line: string, columns: number): readonly string[] {
  return broken(line, columns, () => undefined);
}

/** One line cut to at most `columns`. A cut line ends with `…`, and its styles are closed. */
export function clipped(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return "";
  let open: readonly OpenStyle[] = [];
  let kept = "";
  let used = 0;
  for (const { text: part, width, isStyle } of piecesOf(text)) {
    used += width;
    if (used > columns - 1) break;
    kept += part;
    if (isStyle) open = openAfter(open, part);
  }
  return `${kept}…${closing(open)}`;
}

/** An unbreakable piece of a line: a grapheme, or the sequence of a style. */
interface Piece {
  readonly text: string;
  readonly width: number;
  readonly isStyle: boolean;
}

/** A line break: the index of the end of a line, and the index of the start of the next line. */
interface Break {
  readonly end: number;
  readonly next: number;
}

type FindBreak = (pieces: readonly Piece[], start: number, end: number, columns: number) => Break | undefined;

/** Breaks a line. All lines but the first begin with `hang`, and a space if they were broken at one. */
function broken(line: string, columns: number, findBreak: FindBreak, hang = ""): readonly string[] {
  const whole = Math.max(1, columns);
  if (widthOf(line) <= whole) return [line];
  let begin = "";
  const pieces = piecesOf(line);
  const last = pieces.findLastIndex(({ width }) => width > 0);
  const lines: string[] = [];
  let open: readonly OpenStyle[] = [];
  for (let start = 0; start <= last;) {
    const room = whole - begin.length;
    const full = fullAt(pieces, start, room);
    const soft = full > last ? undefined : findBreak(pieces, start, full, room);
    const { end, next } = soft ?? { end: full, next: full };
    const before = opening(open);
    const row = [...pieces.slice(start, end), ...(next > last ? pieces.slice(next) : [])];
    for (const { text, isStyle } of row) if (isStyle) open = openAfter(open, text);
    lines.push(`${begin}${before}${row.map(({ text }) => text).join("")}${closing(open)}`);
    begin = hang !== "" && next > end ? `${hang} ` : hang;
    start = next;
  }
  return lines;
}

/** The index of the first piece that does not fit into a line that starts here. */
function fullAt(pieces: readonly Piece[], start: number, columns: number): number {
  let used = 0;
  let at = start;
  for (; at < pieces.length; at += 1) {
    const width = pieces[at]?.width ?? 0;
    if (used > 0 && used + width > columns) break;
    used += width;
  }
  return at;
}

/** The last break between words in a full line; undefined if a word has to be broken. */
function wordEnd(pieces: readonly Piece[], start: number, full: number, columns: number): Break | undefined {
  for (let at = full; at > start; at -= 1) {
    if (isSpace(pieces[at])) {
      const indents = pieces.slice(start, at).every((piece) => piece.isStyle || isSpace(piece));
      return indents && !fits(pieces, at + 1, columns) ? undefined : { end: at, next: at + 1 };
    }
    if (mayPart(pieces[at - 1], pieces[at])) return { end: at, next: at };
  }
  return isSpace(pieces[start]) && fits(pieces, start + 1, columns) ? { end: start, next: start + 1 } : undefined;
}

/** True if the word that starts here fits into a line. */
function fits(pieces: readonly Piece[], start: number, columns: number): boolean {
  const full = fullAt(pieces, start, columns);
  return full >= pieces.length || pieces.slice(start, full + 1).some(isSpace);
}

function isSpace(piece: Piece | undefined): boolean {
  return piece?.text === " ";
}

/** True if a line may break between two pieces without a space: next to an ideograph, except at its punctuation. */
function mayPart(before: Piece | undefined, after: Piece | undefined): boolean {
  if (before === undefined || after === undefined || (before.width !== 2 && after.width !== 2)) return false;
  if (
    /^[、。，．！？；：）］｝」』】〉》〕ー…)\]}.,;:!?]/u.test(after.text) ||
    /^[（［｛「『【〈《〔([{]/u.test(before.text)
  ) {
    return false;
  }
  return ideograph.test(before.text) || ideograph.test(after.text);
}

const ideograph = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，．！？；：）］｝」』】〉》〕]/u;
const sequences = /(\u001b\[[0-?]*[ -/]*[@-~])/;
const allSequences = new RegExp(sequences, "g");
const portion = 256;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

function piecesOf(text: string): readonly Piece[] {
  return text.split(sequences).flatMap((part, index): Piece[] => {
    if (index % 2 === 1) return [{ text: part, width: 0, isStyle: true }];
    if (isAscii(part)) return part.split("").map((character) => ({ text: character, width: 1, isStyle: false }));
    return charactersOf(part).map((character) => ({
      text: character,
      width: characterWidth(character),
      isStyle: false,
    }));
  });
}

/** The graphemes of a text. The text is segmented in portions, because the segmenter takes quadratic time. */
export function charactersOf(text: string): readonly string[] {
  const all: string[] = [];
  for (let at = 0; at < text.length;) {
    const next = text.slice(at, at + portion);
    const graphemes = isAscii(next) ? next.split("") : Array.from(segmenter.segment(next), ({ segment }) => segment);
    // The last grapheme may continue in the next portion; so may the grapheme before it, if the portion ends within a surrogate
    // pair.
    if (at + portion < text.length) graphemes.length = Math.max(1, graphemes.length - 2);
    for (const character of graphemes) at += character.length;
    all.push(...graphemes);
  }
  return all;
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/**
 * The columns of one grapheme. It corrects the package in three points: Hangul in parts is one character, Yi and some brackets are
 * wide, and terminals give spacing marks (as in Devanagari) a column.
 */
export function characterWidth(character: string): number {
  if (isAscii(character)) return character.length;
  const missed = character.match(/[\u232a\u31e4\u31e5\ua000-\ua48c\ua490-\ua4c6]|\p{Mc}/gu)?.length ?? 0;
  return fastStringWidth(character.normalize("NFC")) + missed;
}
