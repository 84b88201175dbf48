// Columns of a terminal: how many a text takes, and lines made to fit into them.

import fastStringWidth from "fast-string-width";
import { closing, openAfter, opening, type OpenStyle } from "./open-styles.js";

/** How many columns a text takes on one line; sequences of styles take none. Tabs are expanded by the caller. */
export function widthOf(text: string): number {
  if (isAscii(text)) return text.length;
  let width = 0;
  for (const piece of piecesOf(text)) width += piece.width;
  return width;
}

/**
 * One line as lines of at most `columns` (at least 1), broken at a space, which is dropped, or between ideographs, and
 * hard where a word is longer than a line. Styles are closed before a break and opened again after it. Characters
 * that belong together stay together, so that one that is wider than `columns` is a line of its own.
 */
export function wrapped(line: string, columns: number): readonly string[] {
  return broken(line, columns, wordEnd);
}

/** One line as lines of at most `columns` (at least 1), broken anywhere: nothing is dropped, as code needs it. */
export function chopped(line: string, columns: number): readonly string[] {
  return broken(line, columns, () => undefined);
}

/** One line cut to at most `columns`, with `…` where something is missing; its styles are closed. */
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

/** What is never torn apart: a character as a person sees it, or the sequence of a style. */
interface Piece {
  readonly text: string;
  readonly width: number;
  readonly isStyle: boolean;
}

/** Where a line ends and where the next one starts. */
interface Break {
  readonly end: number;
  readonly next: number;
}

type FindBreak = (pieces: readonly Piece[], start: number, end: number, columns: number) => Break | undefined;

function broken(line: string, columns: number, findBreak: FindBreak): readonly string[] {
  const most = Math.max(1, columns);
  if (widthOf(line) <= most) return [line];
  const pieces = piecesOf(line);
  const last = pieces.findLastIndex(({ width }) => width > 0);
  const lines: string[] = [];
  let open: readonly OpenStyle[] = [];
  for (let start = 0; start <= last;) {
    const full = fullAt(pieces, start, most);
    const found = full > last ? undefined : findBreak(pieces, start, full, most);
    const { end, next } = found ?? { end: full, next: full };
    const before = opening(open);
    const row = [...pieces.slice(start, end), ...(next > last ? pieces.slice(next) : [])];
    for (const { text, isStyle } of row) if (isStyle) open = openAfter(open, text);
    lines.push(`${before}${row.map(({ text }) => text).join("")}${closing(open)}`);
    start = next;
  }
  return lines;
}

/** The first piece that has no room in a line that starts here. */
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

/** The last place in a full line where a word ends; undefined where a word has to be broken. */
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

/** Whether the word that starts here fits into a line. */
function fits(pieces: readonly Piece[], start: number, columns: number): boolean {
  const full = fullAt(pieces, start, columns);
  return full >= pieces.length || pieces.slice(start, full + 1).some(isSpace);
}

function isSpace(piece: Piece | undefined): boolean {
  return piece?.text === " ";
}

/** Whether a line may end between the two although there is no space: next to an ideograph, but for its punctuation. */
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

/** The characters as a person sees them; read in portions, as the segmenter takes the square of what it is given. */
export function charactersOf(text: string): readonly string[] {
  const all: string[] = [];
  for (let at = 0; at < text.length;) {
    const next = text.slice(at, at + portion);
    const found = isAscii(next) ? next.split("") : Array.from(segmenter.segment(next), ({ segment }) => segment);
    // The last one may go on in the next portion, or the one before it, where the portion ends within a pair.
    if (at + portion < text.length) found.length = Math.max(1, found.length - 2);
    for (const character of found) at += character.length;
    all.push(...found);
  }
  return all;
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

/**
 * The columns of one character as a person sees it. The package takes Hangul written in parts for several characters,
 * Yi and some brackets for narrow, and spacing marks (as in Devanagari) for nothing, which terminals give a column.
 */
export function characterWidth(character: string): number {
  if (isAscii(character)) return character.length;
  const missed = character.match(/[\u232a\u31e4\u31e5\ua000-\ua48c\ua490-\ua4c6]|\p{Mc}/gu)?.length ?? 0;
  return fastStringWidth(character.normalize("NFC")) + missed;
}
