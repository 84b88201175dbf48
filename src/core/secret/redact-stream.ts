// Redact stream: goes through a text once, piece by piece, and leaves out what the formats find.

import { more, no } from "./match.js";
import { open, type Rest } from "./rest.js";
import type { Format } from "./format.js";
import type { SecretSpan } from "./format.js";

/** A text on its way. What it gives back adds up to the whole text redacted, however that was cut. */
export interface RedactedStream {
  /** The next piece: what can be shown by now. What may be the beginning of a secret is held back. */
  write(piece: string): string;
  /** What was held back. */
  end(): string;
}

/** Characters of a line that a pattern of the caller's own is held against. */
const longestLine = 4096;

/** What stands in place of a secret. */
export function marker(kind: string): string {
  return `[redacted: ${kind}]`;
}

/** One stage after the other. */
export function joined(first: RedactedStream, second: RedactedStream): RedactedStream {
  return {
    write: (piece) => second.write(first.write(piece)),
    end: () => second.write(first.end()) + second.end(),
  };
}

/** Holds patterns against whole lines. */
export function lines(patterns: readonly RegExp[]): RedactedStream {
  let held = "";
  const replace = (part: string): string =>
    patterns.reduce((left, one) => left.replace(one, (found) => (found === "" ? "" : marker("pattern"))), part);
  const clear = (line: string): string =>
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
      const end = Math.min(newline < 0 ? Infinity : newline + 1, at + longestLine);
      if (end > held.length && !isLast) break;
      out.push(clear(held.slice(at, end)));
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

/** Looks for what the formats find. */
export interface Scanning {
  /** False for a text in which nothing even begins: most texts. */
  mayFind(text: string): boolean;
  stream(): RedactedStream;
}

/** Looks for these formats. */
export function scanningFor(sought: readonly Format[]): Scanning {
  const openers = [...new Set(sought.flatMap((format) => format.openers))];
  const byStart = new Map<string, Format[]>();
  for (const format of sought) {
    for (const start of new Set(format.openers.map((opener) => opener.charAt(0)))) {
      byStart.set(start, [...(byStart.get(start) ?? []), format]);
    }
  }
  const source = openers.map((opener) => opener.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|");
  const next = new RegExp(source, "gi");
  const opening = { openers, byStart, longest: Math.max(...openers.map(({ length }) => length)), next };
  return {
    mayFind(text) {
      next.lastIndex = 0;
      return next.test(text);
    },
    stream: () => new Scanner(opening),
  };
}

/** A secret, and what stands in place of it. */
type Named = SecretSpan & Pick<Format, "kind">;

/** What may begin a secret. */
interface Opening {
  readonly openers: readonly string[];
  /** By the first character of their openers. */
  readonly byStart: ReadonlyMap<string, readonly Format[]>;
  readonly longest: number;
  /** Finds the next opener. Where it is to begin must be set before each use: all scanners share it. */
  readonly next: RegExp;
}

/** Goes through a text once, piece by piece. */
class Scanner implements RedactedStream {
  readonly #opening: Opening;
  #held = "";
  /** The code of the character before what is held. */
  #before = NaN;
  /** The rest of a secret that was found. */
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
    const { next } = this.#opening;
    const out: string[] = [];
    let shown = this.#skip(0, isWhole);
    let at = shown;
    let hold = text.length;
    while (this.#rest === undefined) {
      next.lastIndex = at;
      const found = next.exec(text);
      if (found === null) {
        if (!isWhole) hold = this.#beginning(Math.max(at, text.length - this.#opening.longest));
        break;
      }
      const place = found.index;
      const sight = this.#see(place, isWhole);
      if (typeof sight === "number") {
        at = place + 1;
        if (sight === no) continue;
        hold = place;
        break;
      }
      const { from, to, kind, rest } = sight;
      out.push(text.slice(shown, from), kind === "" ? "" : marker(kind));
      this.#rest = rest;
      at = shown = this.#skip(to, isWhole);
    }
    if (this.#rest !== undefined) hold = shown;
    out.push(text.slice(shown, hold));
    if (hold > 0) this.#before = text.charCodeAt(hold - 1);
    this.#held = text.slice(hold);
    return out.join("");
  }

  /** Where the rest of a secret ends. It stays open where the text does. */
  #skip(at: number, isWhole: boolean): number {
    if (this.#rest === undefined) return at;
    const end = this.#rest(this.#held, at, isWhole, this.#codeBefore(at));
    if (end < 0) return open(end);
    this.#rest = undefined;
    return end;
  }

  #codeBefore(at: number): number {
    return at === 0 ? this.#before : this.#held.charCodeAt(at - 1);
  }

  #see(at: number, isWhole: boolean): Named | number {
    const text = this.#held;
    for (const format of this.#opening.byStart.get(text.charAt(at).toLowerCase()) ?? []) {
      if (!format.mayFollow(this.#codeBefore(at), text, at)) continue;
      const sight = format.see(text, at, isWhole);
      if (sight === more) return more;
      if (typeof sight !== "number") return { ...sight, kind: format.kind };
    }
    return no;
  }

  /** Where what may be the beginning of an opener starts, at the end of the text. */
  #beginning(from: number): number {
    const text = this.#held.slice(from).toLowerCase();
    for (let at = 0; at < text.length; at += 1) {
      const tail = text.slice(at);
      if (this.#opening.openers.some((opener) => opener.startsWith(tail)) && this.#mayBegin(from + at))
        return from + at;
    }
    return this.#held.length;
  }

  #mayBegin(at: number): boolean {
    const formats = this.#opening.byStart.get(this.#held.charAt(at).toLowerCase()) ?? [];
    return formats.some((format) => format.mayFollow(this.#codeBefore(at), this.#held, at));
  }
}
