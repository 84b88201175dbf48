// Markdown of a language model as lines for a terminal: what is hostile in it is shown, and costs no more than other text.

import { getDefaults, Lexer, Tokenizer, type Token, type Tokens, type TokensList } from "marked";
import type { Look } from "./look.js";
import { blockLines, writtenLines } from "./markdown-blocks.js";

export type { Look } from "./look.js";
export type { MarkedToken, Token } from "marked";

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

/** Blocks in blocks, and styles in styles: what is deeper stays as it is written. */
const deepest = 16;

/** Characters of a paragraph times its marks of emphasis, which is what finding their ends costs. */
const mostSteps = 5_000_000;

/** Cells that a table may have, of which a text can claim its square. */
const mostCells = 50_000;

/** Characters of a heading that is one by the line under it, with that line. */
const longestHeading = 300;

/** A lexer that takes as plain words what would cost it more than its length. */
class BoundedLexer extends Lexer {
  #depth = 0;

  constructor() {
    super({ ...getDefaults(), tokenizer: new BoundedTokenizer() });
  }

  override blockTokens(text: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(text: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(text: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    return this.#deeper(text, tokens, () => super.blockTokens(text, tokens, lastParagraphClipped));
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    const marks = text.match(/[*_~]/g)?.length ?? 0;
    if (marks * text.length > mostSteps) return written(text, tokens);
    return this.#deeper(text, tokens, () => super.inlineTokens(text, tokens));
  }

  #deeper(text: string, tokens: Token[], read: () => Token[]): Token[] {
    if (this.#depth > deepest) return written(text, tokens);
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }
}

/**
 * Refuses what would cost more than its length. The rows of a table are filled up to the length of its head, so that a
 * short text may be a very large one.
 */
class BoundedTokenizer extends Tokenizer {
  override table(source: string): Tokens.Table | undefined {
    const columns = source.split("\n", 2)[1]?.split("|").length ?? 0;
    if (columns > 4 && columns * rowsIn(source) > mostCells) return undefined;
    return super.table(source);
  }

  /** A heading by the line under it is sought at each line of a list, up to the end of the list: so it has to be near. */
  override lheading(source: string): Tokens.Heading | undefined {
    const near =
      source.length > longestHeading ? source.slice(0, source.lastIndexOf("\n", longestHeading) + 1) : source;
    return /\n {0,3}(?:=+|-+) *(?:\n|$)/.test(near) ? super.lheading(near) : undefined;
  }
}

/** Lines up to the first empty one. */
function rowsIn(source: string): number {
  const end = source.search(/\n[ \t]*\n/);
  return source.slice(0, end === -1 ? undefined : end).split("\n").length;
}

function written(text: string, tokens: Token[]): Token[] {
  tokens.push({ type: "text", raw: text, text });
  return tokens;
}
