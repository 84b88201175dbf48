// Applies a list of searches and replacements to a text: all or none.

import { findText, lineAt, maxMatches, type Span } from "./find-text.js";
import { describeNearest } from "./nearest.js";

/** One edit: the text to search for, and the text to put in its place. */
export interface Edit {
  search: string;
  replace: string;
}

/** The result of applying edits to a text. */
export interface Edited {
  readonly text: string;
  /** The numbers of the written lines in the new text, for people: `3, 10-12`. */
  readonly lines: string;
}

/**
 * Applies the edits in order, each to the result of the edits before it. Each search must occur exactly once in that
 * text. A `\n` in a search also matches `\r\n` (see `findText`). A `\n` in a replacement is written with the line
 * ending used at that position.
 * @throws Error for the model. It names the edit and says what to do.
 */
export function applyEdits(before: string, edits: readonly Edit[]): Edited {
  let text = before;
  let written: readonly Span[] = [];
  edits.forEach(({ search, replace }, index) => {
    const name = edits.length === 1 ? "The edit" : `Edit ${String(index + 1)} of ${String(edits.length)}`;
    if (search === "") throw refusal(name, "has an empty search", "Search for the text that it shall replace.");
    if (search === replace) throw refusal(name, "replaces its search by the same text", "Leave it out, or mend it.");
    if (/\p{Surrogate}/u.test(`${search} ${replace}`))
      throw refusal(name, "holds half a character", "Write characters whole, as they stand in the file.");
    const span = onlyMatch(text, search, { name, isFirst: index === 0 });
    const fresh = withLineEnds(replace, text, span);
    text = text.slice(0, span.start) + fresh + text.slice(span.end);
    written = merged(written, span, fresh.length);
  });
  return { text, lines: describeLines(text, written) };
}

function onlyMatch(
  text: string,
  search: string,
  { name, isFirst }: { readonly name: string; readonly isFirst: boolean },
): Span {
  const matches = findText(text, search);
  const [first] = matches;
  if (first === undefined) {
    const where = isFirst ? "is not in the file" : "is not in the file as the edits before it leave it";
    throw new Error(`${name}: its search ${where}. Nothing was changed.\n${describeNearest(text, search)}`);
  }
  if (matches.length === 1) return first;
  const lines = matches.slice(0, 20).map(({ start }) => lineAt(text, start));
  const count = matches.length < maxMatches ? String(matches.length) : `at least ${String(maxMatches)}`;
  const more = matches.length > lines.length ? ", …" : "";
  const places = `its search is in the file ${count} times, on the lines ${lines.join(", ")}${more}`;
  throw new Error(
    `${name}: ${places}. Nothing was changed. Add lines around the one you mean, so that it is found once.`,
  );
}

function refusal(name: string, what: string, advice: string): Error {
  return new Error(`${name} ${what}. Nothing was changed. ${advice}`);
}

/** Uses the line ending at the match: the first ending in or after it, or else the last ending before it. */
function withLineEnds(replace: string, text: string, { start }: Span): string {
  if (!replace.includes("\n")) return replace;
  const next = text.indexOf("\n", start);
  const end = next < 0 ? text.lastIndexOf("\n", start) : next;
  return end > 0 && text[end - 1] === "\r" ? replace.replace(/(?<!\r)\n/g, "\r\n") : replace;
}

/** The written spans after one more edit of `length` characters. Spans after the edit are shifted. */
function merged(written: readonly Span[], { start, end }: Span, length: number): readonly Span[] {
  const shift = length - (end - start);
  let fresh: Span = { start, end: start + length };
  const apart: Span[] = [];
  for (const span of written) {
    if (span.end < start) apart.push(span);
    else if (span.start > end) apart.push({ start: span.start + shift, end: span.end + shift });
    else
      fresh = {
        start: Math.min(span.start, fresh.start),
        end: Math.max(span.end > end ? span.end + shift : fresh.end, fresh.end),
      };
  }
  return [...apart, fresh].sort((a, b) => a.start - b.start);
}

function describeLines(text: string, spans: readonly Span[]): string {
  const ranges = spans.map(({ start, end }) => {
    const [from, to] = [lineAt(text, start), lineAt(text, Math.max(start, text[end - 1] === "\n" ? end - 1 : end))];
    return from === to ? String(from) : `${String(from)}-${String(to)}`;
  });
  return [...new Set(ranges)].join(", ");
}
