// A text that is still coming: looks ahead only as far as it is there, and says where it has to wait.

import { literally } from "../reading/literal-pattern.js";

/** Characters that are looked ahead at the most: whoever would need more has to wait for the whole text. */
export const nearby = 400;

/** A text read from its front. What was read is let go. */
export class LiveText {
  #text = "";
  #at = 0;

  /** Takes the next piece. */
  add(piece: string): void {
    this.#text = this.#text.slice(this.#at) + piece;
    this.#at = 0;
  }

  /** What comes next, as far as it is there. */
  ahead(length: number): string {
    return this.#text.slice(this.#at, this.#at + length);
  }

  /** True where so much is there that waiting for more is no use. */
  get isStuck(): boolean {
    return this.#text.length - this.#at > nearby;
  }

  startsWith(words: string): boolean {
    return this.#text.startsWith(words, this.#at);
  }

  /** Reads so many characters. */
  read(length: number): string {
    const read = this.ahead(length);
    this.#at += read.length;
    return read;
  }

  /** Reads up to where the pattern, which is global, matches first; all that is there where it does not. */
  readTo(pattern: RegExp): { readonly words: string; readonly isFound: boolean } {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.index;
    return { words: this.read((found ?? this.#text.length) - this.#at), isFound: found !== undefined };
  }

  /** Reads what the sticky pattern matches; null where it can't any more, undefined where more text may make it match. */
  take(pattern: RegExp, beginnings: readonly string[]): RegExpExecArray | null | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) {
      this.#at += found[0].length;
      return found;
    }
    const rest = this.ahead(nearby);
    const isBegun = beginnings.some((one) => one.startsWith(rest) || rest.startsWith(one.slice(0, -1)));
    return isBegun && !this.isStuck ? undefined : null;
  }

  skipSpace(): void {
    this.#at += spaceAt(this.#text, this.#at);
  }

  /** Reads white space and comments. False where what comes then is not there yet. */
  skipFiller(): boolean {
    const end = fillerEnd(this.#text, this.#at);
    if (end === undefined) return false;
    this.#at = end;
    return true;
  }

  /** Reads the closing tag of an element. */
  takeCloser(name: string): RegExpExecArray | null | undefined {
    return this.take(new RegExp(String.raw`<\/${literally(name)}\s*>`, "y"), [`</${name}>`]);
  }

  /** Reads an opening tag that holds nothing but a name. */
  takeOpener(): { readonly name: string; readonly isEmpty: boolean } | null | undefined {
    const tag = this.take(/<([^<>"'=\s/!?][^<>"'=]*)>/y, []);
    if (tag === null) return /^<[^<>"'=]*$/.test(this.ahead(nearby)) && !this.isStuck ? undefined : null;
    const written = tag?.[1] ?? "";
    const isEmpty = written.endsWith("/");
    return { name: (isEmpty ? written.slice(0, -1) : written).trim(), isEmpty };
  }
}

/** The length of the white space at a place. */
function spaceAt(text: string, at: number): number {
  space.lastIndex = at;
  return space.exec(text)?.[0].length ?? 0;
}

const space = /[ \t\r\n]*/y;

/** Where white space and comments end; undefined where that is not there yet. */
export function fillerEnd(text: string, from: number): number | undefined {
  let at = from + spaceAt(text, from);
  while (text.startsWith("<!--", at)) {
    const end = text.indexOf("-->", at + 4);
    if (end === -1) return undefined;
    at = end + 3 + spaceAt(text, end + 3);
  }
  return at === text.length || "<!--".startsWith(text.slice(at, at + 4)) ? undefined : at;
}
