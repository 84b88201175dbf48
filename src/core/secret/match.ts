// Match: small parts that read a text from one place on, and say so where the text at hand is too short to tell.

/** The part does not match here, whatever follows. */
export const no = -1;
/** The text ended before it could be told. Only where more of it may come. */
export const more = -2;

/** Reads from a place: where it ends, `no` or `more`. What it says does not change when more text comes. */
export type Part = (text: string, at: number, isWhole: boolean) => number;

/** Characters of ASCII, by their codes. */
export type Characters = Uint8Array;

/** The ASCII characters that the pattern matches. */
export function characters(pattern: RegExp): Characters {
  return Uint8Array.from({ length: 128 }, (_none, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
}

/** True where the character with this code is one of them; false for the code of no character. */
export function isOf(set: Characters, code: number): boolean {
  return set[code] === 1;
}

/** The words themselves; in any case where so asked, then given in lower case. */
export function words(expected: string, inAnyCase = false): Part {
  const { length } = expected;
  return (text, at, isWhole) => {
    let read = 0;
    while (read < length && at + read < text.length) {
      const code = text.charCodeAt(at + read);
      const isUpper = inAnyCase && code >= 0x41 && code <= 0x5a;
      if ((isUpper ? code + 0x20 : code) !== expected.charCodeAt(read)) return no;
      read += 1;
    }
    return read === length ? at + length : isWhole ? no : more;
  };
}

/** As many of the characters as there are, up to `most`; at least `least`. */
export function run(set: Characters, least: number, most: number = least): Part {
  return (text, at, isWhole) => {
    const bound = Math.min(text.length, at + most);
    let end = at;
    while (end < bound && isOf(set, text.charCodeAt(end))) end += 1;
    if (end === text.length && end < at + most && !isWhole) return more;
    return end - at < least ? no : end;
  };
}

/** One after the other. */
export function sequence(...parts: readonly Part[]): Part {
  return (text, at, isWhole) => {
    let end = at;
    for (const part of parts) {
      end = part(text, end, isWhole);
      if (end < 0) return end;
    }
    return end;
  };
}

/** The first of them that matches. */
export function oneOf(...parts: readonly Part[]): Part {
  return (text, at, isWhole) => {
    for (const part of parts) {
      const end = part(text, at, isWhole);
      if (end !== no) return end;
    }
    return no;
  };
}

/** The part, or nothing. */
export function optional(part: Part): Part {
  return oneOf(part, (_text, at) => at);
}

/** Nothing, where none of the characters follows. */
export function notBefore(set: Characters): Part {
  return (text, at, isWhole) => {
    if (at === text.length) return isWhole ? at : more;
    return isOf(set, text.charCodeAt(at)) ? no : at;
  };
}
