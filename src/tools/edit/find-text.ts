// Finds a search in a text. A line break in the search matches `\n` and `\r\n`.

/** A range of a text: the index of its first character, and the index after its last character. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Matches are counted up to this number. */
export const maxMatches = 100;

/**
 * The ranges of all matches, including overlapping matches, at most `maxMatches`. A line break `\n` in the search also
 * matches `\r\n`, unless the search contains a `\r` itself: then it matches exactly.
 */
export function findText(text: string, search: string): readonly Span[] {
  const isLoose = search.includes("\n") && !search.includes("\r") && text.includes("\r\n");
  return isLoose ? findLoosely(text, search) : findExactly(text, search);
}

function findExactly(text: string, search: string): readonly Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(search); at >= 0 && spans.length < maxMatches; at = text.indexOf(search, at + 1))
    spans.push({ start: at, end: at + search.length });
  return spans;
}

/** Searches the text with all line endings as `\n`, and maps the matches back to the original text. */
function findLoosely(text: string, search: string): readonly Span[] {
  const plain = text.replaceAll("\r\n", "\n");
  const matches = findExactly(plain, search);
  const spans: Span[] = [];
  /** The current index in the original text, and the matching index in the text with `\n` alone. */
  let at = 0;
  let plainAt = 0;
  const advance = (to: number): void => {
    for (; plainAt < to; plainAt += 1) at += text.startsWith("\r\n", at) ? 2 : 1;
  };
  for (const { start, end } of matches) {
    // Matches may overlap, so the next match is mapped from the start of this match.
    advance(start);
    const [startAt, startPlain] = [at, plainAt];
    advance(end);
    spans.push({ start: startAt, end: at });
    [at, plainAt] = [startAt, startPlain];
  }
  return spans;
}

/** The number of the line that contains the character at an index, counted from 1. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
