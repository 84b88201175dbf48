// The Markdown lexer: marked, with bounds on the cost of a hostile text.

import { getDefaults, Lexer, Tokenizer, type Token, type Tokens, type TokensList } from "marked";

export type { MarkedToken, Token } from "marked";

/** Levels of nested blocks or styles. Deeper text is not parsed. */
const maxDepth = 16;

/** The characters of a paragraph times its marks of emphasis: the steps that finding the ends of the marks takes. */
const maxSteps = 5_000_000;

/** Cells of a table. A text can ask for the square of its length. */
const maxCells = 50_000;

/** Characters of a heading with a line under it, that line included. */
const maxHeadingLength = 300;

/** A lexer that reads text as plain words if parsing it would take more than linear time. */
export class BoundedLexer extends Lexer {
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
    if (marks * text.length > maxSteps) return written(text, tokens);
    return this.#deeper(text, tokens, () => super.inlineTokens(text, tokens));
  }

  #deeper(text: string, tokens: Token[], read: () => Token[]): Token[] {
    if (this.#depth > maxDepth) return written(text, tokens);
    this.#depth += 1;
    try {
      return read();
    } finally {
      this.#depth -= 1;
    }
  }
}

/**
 * Refuses tables and headings that would take more than linear time. The rows of a table are filled up to the length of its head, so
 * a short text can make a very large table.
 */
class BoundedTokenizer extends Tokenizer {
  override table(source: string): Tokens.Table | undefined {
    const columns = source.split("\n", 2)[1]?.split("|").length ?? 0;
    if (columns > 4 && columns * rowsIn(source) > maxCells) return undefined;
    return super.table(source);
  }

  /** Only near lines count: marked looks for the line under a heading at each line of a list, up to the end of the list. */
  override lheading(source: string): Tokens.Heading | undefined {
    const near =
      source.length > maxHeadingLength ? source.slice(0, source.lastIndexOf("\n", maxHeadingLength) + 1) : source;
    return /\n {0,3}(?:=+|-+) *(?:\n|$)/.test(near) ? super.lheading(near) : undefined;
  }
}

/** Lines up to the first empty line. */
function rowsIn(source: string): number {
  const end = source.search(/\n[ \t]*\n/);
  return source.slice(0, end === -1 ? undefined : end).split("\n").length;
}

function written(text: string, tokens: Token[]): Token[] {
  tokens.push({ type: "text", raw: text, text });
  return tokens;
}
