// Finding text: where a search occurs, with a line break of it standing for either kind of line end.

/** A place in a text: its first character and the one behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** So many matches are counted; more are as good as that. */
export const mostMatches = 100;

/**
 * All places where the search occurs, overlapping ones too, at most `mostMatches`. A line break `\n` of it also stands for
 * `\r\n`, unless the search has a `\r` itself: then it means exactly what it says.
 */
export function findText(text: string, search: string): readonly Span[] {
  const isLoose = search.includes("\n") && !search.includes("\r") && text.includes("\r\n");
  return isLoose ? findLoosely(text, search) : findExactly(text, search);
}

function findExactly(text: string, search: string): readonly Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf(search); at >= 0 && spans.length < mostMatches; at = text.indexOf(search, at + 1))
    spans.push({ start: at, end: at + search.length });
  return spans;
}

/** Searches the text as it would be with `\n` alone, and says where that is in the text as it is. */
function findLoosely(text: string, search: string): readonly Span[] {
  const plain = text.replaceAll("\r\n", "\n");
  const found = findExactly(plain, search);
  const spans: Span[] = [];
  /** What was passed of both texts. */
  let at = 0;
  let plainAt = 0;
  const advance = (to: number): void => {
    for (; plainAt < to; plainAt += 1) at += text.startsWith("\r\n", at) ? 2 : 1;
  };
  for (const { start, end } of found) {
    // Matches may overlap, so each is walked through from its own start.
    advance(start);
    const [startAt, startPlain] = [at, plainAt];
    advance(end);
    spans.push({ start: startAt, end: at });
    [at, plainAt] = [startAt, startPlain];
  }
  return spans;
}

/** The number of the line that a character is in, counted from 1. */
export function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
