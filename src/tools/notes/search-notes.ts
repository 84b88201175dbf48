// Searches notes by words and tags, best match first.

import type { Note } from "../../core/index.js";

/** The query of a note search. */
export interface Sought {
  /** Words that must each occur in the text or in a tag; case is ignored. Empty: all notes match. */
  readonly query: string;
  /** The note must have all these tags; case is ignored. */
  readonly tags: readonly string[];
}

/**
 * The notes that match, best first. Notes with equal scores keep their order. The whole query scores above its single
 * words, and more occurrences score above fewer.
 */
export function searchNotes(notes: readonly Note[], { query, tags }: Sought): readonly Note[] {
  const phrase = query.trim().toLowerCase();
  const terms = phrase.split(/\s+/).filter((term) => term !== "");
  const wanted = tags.map((tag) => tag.toLowerCase());
  return notes
    .map((note) => ({ note, score: wanted.every((tag) => hasTag(note, tag)) ? scoreOf(note, phrase, terms) : 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ note }) => note);
}

/** More than 0 if every term occurs. */
function scoreOf({ text, tags }: Note, phrase: string, terms: readonly string[]): number {
  const content = [text, ...tags].join("\n").toLowerCase();
  const counts = terms.map((term) => content.split(term).length - 1);
  if (counts.includes(0)) return 0;
  const whole = terms.length > 1 && content.includes(phrase) ? 1000 : 0;
  return 1 + whole + counts.reduce((sum, count) => sum + count, 0);
}

function hasTag({ tags }: Note, wanted: string): boolean {
  return tags.some((tag) => tag.toLowerCase() === wanted);
}
