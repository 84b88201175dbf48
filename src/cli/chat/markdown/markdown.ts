// Markdown of a language model as lines for a terminal. Hostile text hides nothing, and takes linear time.

import { BoundedLexer } from "./bounded-lexer.js";
import type { Look } from "../style/look.js";
import { blockLines, writtenLines } from "./markdown-blocks.js";

export type { Look } from "../style/look.js";

/** The width and the look of a text. */
export interface Page {
  /** Columns of the terminal, at least 1. */
  readonly columns: number;
  readonly look: Look;
}

/**
 * A text as lines that are ready to print. No line is wider than the columns, except a line with a single wider character. The text
 * may be incomplete, as during streaming: an unclosed block is shown as far as it goes. Never throws: a text of more than
 * `mostCharacters`, or a text that the lexer fails on, is shown verbatim.
 */
export function markdownLines(text: string, { columns, look }: Page): readonly string[] {
  const room = Math.max(1, columns);
  const source = text.replace(/\r\n?/g, "\n");
  if (source.trim() === "") return [];
  if (source.length > mostCharacters) return writtenLines(source, room);
  try {
    return blockLines(new BoundedLexer().lex(source), room, look);
  } catch {
    // A text can make the lexer throw, for example by deep nesting. The person still has to see it.
    return writtenLines(source, room);
  }
}

/** Characters of a text. Longer texts are shown verbatim. */
export const mostCharacters = 500_000;
