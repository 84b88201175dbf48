// Markdown of a language model as lines for a terminal: what is hostile in it is shown, and costs no more than other text.

import { BoundedLexer } from "./bounded-lexer.js";
import type { Look } from "../style/look.js";
import { blockLines, writtenLines } from "./markdown-blocks.js";

export type { Look } from "../style/look.js";

/** How wide a text may be, and how its parts look. */
export interface Page {
  /** Columns of the terminal, at least 1. */
  readonly columns: number;
  readonly look: Look;
}

/**
 * A text as lines ready to print, none wider than the columns unless a single character is. Any beginning of a text
 * is a text too: what is open at its end is shown as far as it goes. Never throws; a text of more than `mostCharacters`,
 * or one that the lexer fails on, is shown as it is written.
 */
export function markdownLines(text: string, { columns, look }: Page): readonly string[] {
  const room = Math.max(1, columns);
  const source = text.replace(/\r\n?/g, "\n");
  if (source.trim() === "") return [];
  if (source.length > mostCharacters) return writtenLines(source, room);
  try {
    return blockLines(new BoundedLexer().lex(source), room, look);
  } catch {
    // The text decides what is thrown here (nesting that exhausts the stack, say), and a person wants to read it anyway.
    return writtenLines(source, room);
  }
}

/** Longer texts are no Markdown. */
export const mostCharacters = 500_000;
