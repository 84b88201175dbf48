// The lexer of markdown: marked, with bounds on what a hostile text may cost.

import { getDefaults, Lexer, Tokenizer, type Token, type Tokens, type TokensList } from "marked";

export type { MarkedToken, Token } from "marked";

/** Blocks in blocks, and styles in styles: what is deeper stays as it is written. */
const deepest = 16;

/** Characters of a paragraph times its marks of emphasis, which is what finding their ends costs. */
const mostSteps = 5_000_000;

/** Cells that a table may have, of which a text can claim its square. */
const mostCells = 50_000;

/** Characters of a heading that is one by the line under it, with that line. */
const longestHeading = 300;

/** A lexer that takes as plain words what would cost it more than its length. */
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
