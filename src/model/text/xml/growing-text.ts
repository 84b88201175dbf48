// A text that is still arriving. Readers look ahead in the part that has arrived, or learn that they have to wait.

import { literally } from "../reading/literal-pattern.js";

/** The longest lookahead, in characters. A reader that needs more gives up, and the whole reply is read instead. */
export const maxLookahead = 400;

/** A text that is read from its front. The part that was read is dropped. */
export class GrowingText {
  #text = "";
  #at = 0;

  /** Takes the next piece. */
  add(piece: string): void {
    this.#text = this.#text.slice(this.#at) + piece;
    this.#at = 0;
  }

  /** The next `length` characters, or fewer if fewer have arrived. */
  ahead(length: number): string {
    return this.#text.slice(this.#at, this.#at + length);
  }

  /** True if the unread part exceeds the longest lookahead, so that waiting for more does not help. */
  get isStuck(): boolean {
    return this.#text.length - this.#at > maxLookahead;
  }

  startsWith(words: string): boolean {
    return this.#text.startsWith(words, this.#at);
  }

  /** Reads the next `length` characters, or fewer if fewer have arrived. */
  read(length: number): string {
    const read = this.ahead(length);
    this.#at += read.length;
    return read;
  }

  /** Reads up to the first match of the global pattern; without a match, everything that has arrived. */
  readTo(pattern: RegExp): { readonly words: string; readonly isFound: boolean } {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text)?.index;
    return { words: this.read((match ?? this.#text.length) - this.#at), isFound: match !== undefined };
  }

  /**
   * Reads the match of the sticky pattern. Undefined if more text may make it match, null if not. `beginnings` are texts that a
   * match begins with.
   */
  take(pattern: RegExp, beginnings: readonly string[]): RegExpExecArray | null | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match !== null) {
      this.#at += match[0].length;
      return match;
    }
    const rest = this.ahead(maxLookahead);
    const isBegun = beginnings.some((one) => one.startsWith(rest) || rest.startsWith(one.slice(0, -1)));
    return isBegun && !this.isStuck ? undefined : null;
  }

  skipSpace(): void {
    this.#at += spaceAt(this.#text, this.#at);
  }

  /** Reads white space and comments. False if the text after them has not arrived yet. */
  skipFiller(): boolean {
    const end = fillerEnd(this.#text, this.#at);
    if (end === undefined) return false;
    this.#at = end;
    return true;
  }

  /** Reads the closing tag of an element. Returns as `take` does. */
  takeCloser(name: string): RegExpExecArray | null | undefined {
    return this.take(new RegExp(String.raw`<\/${literally(name)}\s*>`, "y"), [`</${name}>`]);
  }

  /** Reads an opening tag that holds only a name. Returns as `take` does. */
  takeOpener(): { readonly name: string; readonly isEmpty: boolean } | null | undefined {
    const tag = this.take(/<([^<>"'=\s/!?][^<>"'=]*)>/y, []);
    if (tag === null) return /^<[^<>"'=]*$/.test(this.ahead(maxLookahead)) && !this.isStuck ? undefined : null;
    const written = tag?.[1] ?? "";
    const isEmpty = written.endsWith("/");
    return { name: (isEmpty ? written.slice(0, -1) : written).trim(), isEmpty };
  }
}

/** The length of the white space at an index. */
function spaceAt(text: string, at: number): number {
  space.lastIndex = at;
  return space.exec(text)?.[0].length ?? 0;
}

const space = /[ \t\r\n]*/y;

/** The index after white space and comments; undefined if the text after them has not arrived yet. */
export function fillerEnd(text: string, from: number): number | undefined {
  let at = from + spaceAt(text, from);
  while (text.startsWith("<!--", at)) {
    const end = text.indexOf("-->", at + 4);
    if (end === -1) return undefined;
    at = end + 3 + spaceAt(text, end + 3);
  }
  return at === text.length || "<!--".startsWith(text.slice(at, at + 4)) ? undefined : at;
}
