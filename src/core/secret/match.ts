// Matchers: composable functions that match a text from an index on, and ask for more text if it is too short to decide.

/** The result of a part that can't match here, whatever follows. */
export const no = -1;
/** The result of a part that needs more text to decide. It occurs only if more text may come. */
export const more = -2;

/**
 * Matches `text` from the index `at` on. Returns the index after the match, `no` or `more`. `isWhole` is true if no more text will
 * come. An index or `no` stays valid if more text comes.
 */
export type Part = (text: string, at: number, isWhole: boolean) => number;

/** A set of ASCII characters: an array by character code, with 1 for members. */
export type Characters = Uint8Array;

/** The ASCII characters that the pattern matches. */
export function characters(pattern: RegExp): Characters {
  return Uint8Array.from({ length: 128 }, (_none, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
}

/** True if the set contains the character with this code. False for NaN and for codes outside ASCII. */
export function isOf(set: Characters, code: number): boolean {
  return set[code] === 1;
}

/** Matches the exact text. With `ignoresCase` the case does not matter, and `expected` must be in lower case. */
export function words(expected: string, ignoresCase = false): Part {
  const { length } = expected;
  return (text, at, isWhole) => {
    let read = 0;
    while (read < length && at + read < text.length) {
      const code = text.charCodeAt(at + read);
      const isUpper = ignoresCase && code >= 0x41 && code <= 0x5a;
      if ((isUpper ? code + 0x20 : code) !== expected.charCodeAt(read)) return no;
      read += 1;
    }
    return read === length ? at + length : isWhole ? no : more;
  };
}

/** Matches as many characters of the set as possible, between `least` and `most`. */
export function run(set: Characters, least: number, most: number = least): Part {
  return (text, at, isWhole) => {
    const bound = Math.min(text.length, at + most);
    let end = at;
    while (end < bound && isOf(set, text.charCodeAt(end))) end += 1;
    if (end === text.length && end < at + most && !isWhole) return more;
    return end - at < least ? no : end;
  };
}

/** Matches the parts one after the other. */
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

/** Matches the first part that fits. */
export function oneOf(...parts: readonly Part[]): Part {
  return (text, at, isWhole) => {
    for (const part of parts) {
      const end = part(text, at, isWhole);
      if (end !== no) return end;
    }
    return no;
  };
}

/** Matches the part, or an empty text. */
export function optional(part: Part): Part {
  return oneOf(part, (_text, at) => at);
}

/** Matches an empty text if no character of the set follows. */
export function notBefore(set: Characters): Part {
  return (text, at, isWhole) => {
    if (at === text.length) return isWhole ? at : more;
    return isOf(set, text.charCodeAt(at)) ? no : at;
  };
}
