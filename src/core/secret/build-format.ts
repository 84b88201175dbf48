// Builds formats from parts: a prefix followed by characters of a set, and a secret after words that stay readable.

import type { Format } from "./format.js";
import { characters, isOf, no, notBefore, oneOf, optional, run, sequence, words } from "./match.js";
import type { Characters, Part } from "./match.js";
import { restOf, type Rest } from "./rest.js";

const alphanumeric = characters(/[A-Za-z0-9]/);
const word = characters(/[\w-]/);
const blank = characters(/[ \t]/);

/** True unless the character before is a letter or a digit. */
export const isApart = (before: number): boolean => !isOf(alphanumeric, before);

/** A format with an unmistakable prefix, followed by at least `minLength` characters. */
export function token(kind: string, openers: readonly string[], minLength: number, set: Characters = word): Format {
  const parts = openers.map((opener) => sequence(words(opener), run(set, minLength)));
  return format(kind, openers, oneOf(...parts), restOf(set));
}

/** A format with an unmistakable prefix, followed by exactly `length` characters. */
export function exactToken(kind: string, openers: readonly string[], length: number, set: Characters): Format {
  const parts = openers.map((opener) => sequence(words(opener), run(set, length), notBefore(word)));
  return format(kind, openers, oneOf(...parts));
}

/** A format of this kind that begins with one of the openers. With `rest`, the secret may continue after the part. */
export function format(kind: string, openers: readonly string[], part: Part, rest?: Rest): Format {
  return {
    kind,
    openers: openers.map((opener) => opener.toLowerCase()),
    mayFollow: isApart,
    match(text, at, isWhole) {
      const to = part(text, at, isWhole);
      return to < 0 ? to : { from: at, to, ...(rest && { rest }) };
    },
  };
}

/** Matches `lead` and then `part`. Only `part` is secret; `lead` stays readable. */
export function after(lead: Part, part: Part, rest?: Rest): Format["match"] {
  return (text, at, isWhole) => {
    const from = lead(text, at, isWhole);
    if (from < 0) return from;
    const to = part(text, from, isWhole);
    return to < 0 ? to : { from, to, ...(rest && { rest }) };
  };
}

/** A format whose secret counts only if its text is likely to be one. */
export function judged(found: Format, isLikely: (value: string) => boolean): Format {
  return {
    ...found,
    match(text, at, isWhole) {
      const span = found.match(text, at, isWhole);
      return typeof span === "number" || isLikely(text.slice(span.from, span.to)) ? span : no;
    },
  };
}

/** A line number, as tools put it before each line. */
const numbered = optional(sequence(run(characters(/\d/), 1, 8), run(characters(/[\t:|]/), 1), run(blank, 0, 4)));
/** A line break, also as JSON writes it, with the indentation and the number of the next line. */
export const newline: Part = sequence(
  oneOf(words("\r\n"), words("\n"), words("\\r\\n"), words("\\n")),
  run(blank, 0, 40),
  numbered,
);
