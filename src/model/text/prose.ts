// Detects calls that are only mentioned in a sentence.

import type { Piece } from "./scan.js";

/** True if words precede the piece on its first line and follow it on its last line. Neighbouring calls are no words. */
export function isProse(text: string, pieces: readonly Piece[], index: number): boolean {
  const piece = pieces[index];
  if (piece === undefined || piece.dialect.isToken || piece.calls.length === 0) return false;
  return hasWordsBefore(text, pieces, index) && hasWordsAfter(text, pieces, index);
}

function hasWordsBefore(text: string, pieces: readonly Piece[], index: number): boolean {
  for (let current = index; current >= 0; current -= 1) {
    const gap = text.slice(pieces[current - 1]?.end ?? 0, pieces[current]?.start);
    const line = gap.slice(gap.lastIndexOf("\n") + 1);
    if (hasWords(line)) return true;
    if (line.length < gap.length) return false;
  }
  return false;
}

function hasWordsAfter(text: string, pieces: readonly Piece[], index: number): boolean {
  for (let current = index; current < pieces.length; current += 1) {
    const gap = text.slice(pieces[current]?.end, pieces[current + 1]?.start);
    const [line = ""] = gap.split("\n", 1);
    if (hasWords(line)) return true;
    if (line.length < gap.length) return false;
  }
  return false;
}

/** True if the line holds letters or digits outside tags and thinking. */
function hasWords(line: string): boolean {
  const after = line.replace(/^.*<\/(?:think|thinking|reasoning|thought)>/is, "");
  return /[\p{L}\p{N}]/u.test(after.replace(/<[^<>]*>/g, ""));
}
