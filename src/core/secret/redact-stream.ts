// Redacting streams: they read a text once, piece by piece, and replace the secrets that the formats match.

import { more, no } from "./match.js";
import { open, type Rest } from "./rest.js";
import type { Format } from "./format.js";
import type { SecretSpan } from "./format.js";
import { OpenerSearch } from "./opener-search.js";

/** Redacts a text that comes in pieces. The results add up to the redacted text, wherever the text was cut. */
export interface RedactedStream {
  /** Takes the next piece and returns the text that is safe to show. A possible beginning of a secret is held back. */
  write(piece: string): string;
  /** Ends the text and returns the rest that was held back. */
  end(): string;
}

/** The caller's own patterns see a line in sections of at most this many characters. */
const maxLineLength = 4096;

/** The text that replaces a secret. */
export function marker(kind: string): string {
  return `[redacted: ${kind}]`;
}

/** Runs one stream after the other. */
export function joined(first: RedactedStream, second: RedactedStream): RedactedStream {
  return {
    write: (piece) => second.write(first.write(piece)),
    end: () => second.write(first.end()) + second.end(),
  };
}

/** Applies patterns to whole lines. */
export function lines(patterns: readonly RegExp[]): RedactedStream {
  let held = "";
  const replace = (part: string): string =>
    patterns.reduce((text, pattern) => text.replace(pattern, (match) => (match === "" ? "" : marker("pattern"))), part);
  const redactLine = (line: string): string =>
    line.includes("[redacted: ")
      ? line
          .split(/(\[redacted: [a-z ]+\])/)
          .map((part, index) => (index % 2 === 1 ? part : replace(part)))
          .join("")
      : replace(line);
  const take = (isLast: boolean): string => {
    const out: string[] = [];
    let at = 0;
    while (at < held.length) {
      const newline = held.indexOf("\n", at);
      const end = Math.min(newline < 0 ? Infinity : newline + 1, at + maxLineLength);
      if (end > held.length && !isLast) break;
      out.push(redactLine(held.slice(at, end)));
      at = end;
    }
    held = held.slice(at);
    return out.join("");
  };
  return {
    write(piece) {
      held += piece;
      return take(false);
    },
    end: () => take(true),
  };
}

/** Finds and replaces the secrets of a list of formats. */
export class Scanning {
  readonly #search: OpenerSearch;
  /** The formats by the first character of their openers. */
  readonly #byStart: ReadonlyMap<string, readonly Format[]>;

  /** Takes the formats. They are found besides the formats of `base`, and come before them. */
  constructor(formats: readonly Format[], base?: Scanning) {
    const openers = [...new Set(formats.flatMap((format) => format.openers))];
    this.#search = new OpenerSearch(openers, base === undefined ? undefined : base.#search);
    const byStart = new Map<string, readonly Format[]>(base === undefined ? [] : base.#byStart);
    for (const format of formats.toReversed()) {
      for (const start of new Set(format.openers.map((opener) => opener.charAt(0)))) {
        byStart.set(start, [format, ...(byStart.get(start) ?? [])]);
      }
    }
    this.#byStart = byStart;
  }

  /** False if no format can begin anywhere in the text, which holds for most texts. */
  mayFind(text: string): boolean {
    return this.#search.next(text, 0) >= 0;
  }

  stream(): RedactedStream {
    return new Scanner({ search: this.#search, byStart: this.#byStart });
  }
}

/** A secret and its kind. */
type KnownSecret = SecretSpan & Pick<Format, "kind">;

/** The possible beginnings of secrets. */
interface Opening {
  readonly search: OpenerSearch;
  /** The formats by the first character of their openers. */
  readonly byStart: ReadonlyMap<string, readonly Format[]>;
}

/** The codes of `n`, `r` and `t`. */
const escapes: ReadonlySet<number> = new Set([0x6e, 0x72, 0x74]);

/** Reads a text once, piece by piece, and replaces its secrets. */
class Scanner implements RedactedStream {
  readonly #opening: Opening;
  #held = "";
  /** The code of the character before the held text. */
  #before = NaN;
  /** Finds the end of the current secret, if it may continue. */
  #rest: Rest | undefined;

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  write(piece: string): string {
    this.#held += piece;
    return this.#scan(false);
  }

  end(): string {
    return this.#scan(true);
  }

  #scan(isWhole: boolean): string {
    const text = this.#held;
    const { search } = this.#opening;
    const out: string[] = [];
    let shown = this.#skip(0, isWhole);
    let at = shown;
    let hold = text.length;
    while (this.#rest === undefined) {
      const index = search.next(text, at);
      if (index < 0 && isWhole) break;
      const tail = text.length - search.longest;
      if (!isWhole && (index < 0 || index > tail)) {
        // An opener that is still incomplete may contain this opener, as `SharedAccessKey=` contains `AccessKey`.
        const partial = this.#partialOpener(Math.max(at, tail));
        if (index < 0 || partial < index) {
          hold = partial;
          break;
        }
      }
      const match = this.#match(index, isWhole);
      if (typeof match === "number") {
        at = index + 1;
        if (match === no) continue;
        hold = index;
        break;
      }
      const { from, to, kind, rest } = match;
      out.push(text.slice(shown, from), kind === "" ? "" : marker(kind));
      this.#rest = rest;
      at = shown = this.#skip(to, isWhole);
    }
    if (this.#rest !== undefined) hold = shown;
    out.push(text.slice(shown, hold));
    this.#before = this.#codeBefore(hold);
    this.#held = text.slice(hold);
    return out.join("");
  }

  /** The end of the current secret. If the secret may continue, it is the end of the held text that belongs to it. */
  #skip(at: number, isWhole: boolean): number {
    if (this.#rest === undefined) return at;
    const end = this.#rest(this.#held, at, isWhole, this.#codeBefore(at));
    if (end < 0) return open(end);
    this.#rest = undefined;
    return end;
  }

  /** The code of the character before `at`: a line break or a tab also if it is written as `\\n`, `\\r` or `\\t`, as in JSON. */
  #codeBefore(at: number): number {
    if (at === 0) return this.#before;
    const code = this.#held.charCodeAt(at - 1);
    if (!escapes.has(code)) return code;
    const previous = at === 1 ? this.#before : this.#held.charCodeAt(at - 2);
    return previous === 0x5c ? 0x0a : code;
  }

  /** Matches the formats that may begin at this index. */
  #match(at: number, isWhole: boolean): KnownSecret | number {
    const text = this.#held;
    for (const format of this.#opening.byStart.get(text.charAt(at).toLowerCase()) ?? []) {
      if (!format.mayFollow(this.#codeBefore(at), text, at)) continue;
      const match = format.match(text, at, isWhole);
      if (match === more) return more;
      if (typeof match !== "number") return { ...match, kind: format.kind };
    }
    return no;
  }

  /** The index of an incomplete opener at the end of the held text; its length if there is none. */
  #partialOpener(from: number): number {
    const text = this.#held.slice(from).toLowerCase();
    for (let at = 0; at < text.length; at += 1) {
      const tail = text.slice(at);
      if (this.#opening.search.mayContinue(tail) && this.#mayBegin(from + at)) return from + at;
    }
    return this.#held.length;
  }

  #mayBegin(at: number): boolean {
    const formats = this.#opening.byStart.get(this.#held.charAt(at).toLowerCase()) ?? [];
    return formats.some((format) => format.mayFollow(this.#codeBefore(at), this.#held, at));
  }
}
