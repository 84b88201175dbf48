// The model's notes, which stay in the prompt even if the conversation is left out. They are computed from the records.

import type { JournalRecord, Note } from "./record.js";

/** The notes of a session by id, in the order in which they were last written. */
export interface Notes {
  /** All notes. */
  readonly all: ReadonlyMap<string, Note>;
  /** The notes that are not scratched. */
  readonly current: ReadonlyMap<string, Note>;
  /** The id of the note with each text. */
  readonly ids: ReadonlyMap<string, string>;
  /** The id for the next new note. */
  readonly next: string;
}

/** The maximum number of characters of the notes in a prompt. */
export const notesRoom = 4000;

const notebooks = new WeakMap<readonly JournalRecord[], Notebook>();

/**
 * The notes of a session. They are valid until its next record. If the array has grown since the previous call, only the new records
 * are read.
 */
export function notesIn(records: readonly JournalRecord[]): Notes {
  let notebook = notebooks.get(records);
  if (notebook === undefined || notebook.count > records.length) {
    notebook = new Notebook();
    notebooks.set(records, notebook);
  }
  while (notebook.count < records.length) notebook.take(records[notebook.count]);
  return notebook;
}

class Notebook implements Notes {
  readonly all = new Map<string, Note>();
  readonly current = new Map<string, Note>();
  readonly ids = new Map<string, string>();
  /** The number of records read so far. */
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

/** A note as a line for the model. */
export function noteLine({ id, text, tags, scratched }: Note): string {
  const labels = [...(scratched ? ["scratched"] : []), ...tags];
  return `${id}${labels.length === 0 ? "" : ` [${labels.join(", ")}]`}: ${text}`;
}

/**
 * The text of the notes for the prompt: as many as fit into `room` characters, the latest first, and the number of notes left out.
 * Undefined if there are no notes.
 */
export function describeNotes(notes: Iterable<Note>, room: number = notesRoom): string | undefined {
  const lines = [...notes].map(noteLine).reverse();
  if (lines.length === 0) return undefined;
  const heading = "[What you noted, the latest first. It stays here, whatever else is left out.]";
  const omission = (count: number): string =>
    `[${String(count)} older ${count === 1 ? "one is" : "ones are"} left out.]`;
  let size = heading.length + 1 + omission(lines.length).length;
  const firstOmitted = lines.findIndex((line) => (size += line.length + 1) > room);
  const shown = firstOmitted < 0 ? lines : lines.slice(0, firstOmitted);
  const rest = shown.length < lines.length ? [omission(lines.length - shown.length)] : [];
  return [heading, ...shown, ...rest].join("\n");
}
