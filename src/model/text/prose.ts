// Whether a call is spoken of: it stands within a sentence.

import type { Piece } from "./scan.js";

/** True for a piece that has words before it on its first line and behind it on its last; calls beside it are no words. */
export function isProse(text: string, pieces: readonly Piece[], index: number): boolean {
  const piece = pieces[index];
  if (piece === undefined || piece.dialect.isToken || piece.calls.length === 0) return false;
  return hasWordsBefore(text, pieces, index) && hasWordsBehind(text, pieces, index);
}

function hasWordsBefore(text: string, pieces: readonly Piece[], index: number): boolean {
  for (let place = index; place >= 0; place -= 1) {
    const gap = text.slice(pieces[place - 1]?.end ?? 0, pieces[place]?.start);
    const line = gap.slice(gap.lastIndexOf("\n") + 1);
    if (hasWords(line)) return true;
    if (line.length < gap.length) return false;
  }
  return false;
}

function hasWordsBehind(text: string, pieces: readonly Piece[], index: number): boolean {
  for (let place = index; place < pieces.length; place += 1) {
    const gap = text.slice(pieces[place]?.end, pieces[place + 1]?.start);
    const [line = ""] = gap.split("\n", 1);
    if (hasWords(line)) return true;
    if (line.length < gap.length) return false;
  }
  return false;
}

/** Tags are no words, and neither is a block of thinking. */
function hasWords(line: string): boolean {
  const after = line.replace(/^.*<\/(?:think|thinking|reasoning|thought)>/is, "");
  return /[\p{L}\p{N}]/u.test(after.replace(/<[^<>]*>/g, ""));
}
