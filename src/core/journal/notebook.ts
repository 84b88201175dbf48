// Notes: what the model keeps for itself, however much of the conversation is left out. Pure data, folded from the records.

import type { Note } from "../data/note.js";
import type { JournalRecord } from "./record.js";

/** The notes of a session, by their ids, the one that was written last at the end. */
export interface Notes {
  readonly all: ReadonlyMap<string, Note>;
  /** Those that are not scratched. */
  readonly current: ReadonlyMap<string, Note>;
  /** For each text the id of the note that says it. */
  readonly ids: ReadonlyMap<string, string>;
  /** The id of the next one. */
  readonly next: string;
}

/** Characters that the notes take in a prompt, at most. */
export const notesRoom = 4000;

const known = new WeakMap<readonly JournalRecord[], Folded>();

/**
 * The notes of a session. Valid until its next record. Of an array that has grown since it was asked for, only what is new is
 * looked at.
 */
export function notesIn(records: readonly JournalRecord[]): Notes {
  let folded = known.get(records);
  if (folded === undefined || folded.count > records.length) {
    folded = new Folded();
    known.set(records, folded);
  }
  while (folded.count < records.length) folded.take(records[folded.count]);
  return folded;
}

class Folded implements Notes {
  readonly all = new Map<string, Note>();
  readonly current = new Map<string, Note>();
  readonly ids = new Map<string, string>();
  /** The records so far. */
  count = 0;
  #highest = 0;

  get next(): string {
    return `n${String(this.#highest + 1)}`;
  }

  take(record: JournalRecord | undefined): void {
    this.count += 1;
    if (record?.type === "input") for (const note of record.notes ?? []) this.#put(note);
    if (record?.type === "result") for (const note of record.result.notes ?? []) this.#put(note);
  }

  #put(note: Note): void {
    const { id, text, scratched } = note;
    const before = this.all.get(id)?.text;
    if (before !== undefined && this.ids.get(before) === id) this.ids.delete(before);
    this.ids.set(text, id);
    for (const notes of [this.all, this.current]) notes.delete(id);
    this.all.set(id, note);
    if (!scratched) this.current.set(id, note);
    this.#highest = Math.max(this.#highest, Number(/^n(\d{1,15})$/.exec(id)?.[1] ?? 0));
  }
}

/** A note as the model reads it. */
export function noteLine({ id, text, tags, scratched }: Note): string {
  const labels = [...(scratched ? ["scratched"] : []), ...tags];
  return `${id}${labels.length === 0 ? "" : ` [${labels.join(", ")}]`}: ${text}`;
}

/**
 * What the prompt shows of live notes: the latest first, as many as go into so many characters, and how many do not. Undefined
 * where there are none.
 */
export function describeNotes(live: Iterable<Note>, room: number = notesRoom): string | undefined {
  const lines = [...live].map(noteLine).reverse();
  if (lines.length === 0) return undefined;
  const heading = "[What you noted, the latest first. It stays here, whatever else is left out.]";
  const left = (count: number): string => `[${String(count)} older ${count === 1 ? "one is" : "ones are"} left out.]`;
  let size = heading.length + 1 + left(lines.length).length;
  const over = lines.findIndex((line) => (size += line.length + 1) > room);
  const shown = over < 0 ? lines : lines.slice(0, over);
  const rest = shown.length < lines.length ? [left(lines.length - shown.length)] : [];
  return [heading, ...shown, ...rest].join("\n");
}
