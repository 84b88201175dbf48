// Searching notes: by words and tags, the best first.

import type { Note } from "../../core/index.js";

/** What is looked for. */
export interface Sought {
  /** Words, each of which has to occur in the text or in a tag, in whatever case; empty for all notes. */
  readonly query: string;
  /** Tags that a note has to have, all of them, in whatever case. */
  readonly tags: readonly string[];
}

/** Those of the notes that fit, the best first, equally good ones in their order: the whole query beats its words, often beats once. */
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

/** More than 0 where every term occurs. */
function scoreOf({ text, tags }: Note, phrase: string, terms: readonly string[]): number {
  const said = [text, ...tags].join("\n").toLowerCase();
  const counts = terms.map((term) => said.split(term).length - 1);
  if (counts.includes(0)) return 0;
  const whole = terms.length > 1 && said.includes(phrase) ? 1000 : 0;
  return 1 + whole + counts.reduce((sum, count) => sum + count, 0);
}

function hasTag({ tags }: Note, wanted: string): boolean {
  return tags.some((tag) => tag.toLowerCase() === wanted);
}
