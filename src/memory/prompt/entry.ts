// Entries: the messages of a prompt with their sources, and the entries that replace older entries when the prompt is
// shortened.

import type { Message } from "../../core/index.js";
import { sizeOf, soundMessage, type FoldRecord, type PruneRecord } from "../../core/internal.js";

/** The source of a message of the prompt. */
export interface Source {
  readonly kind: "input" | "reply" | "result" | "failure" | "notice" | "stub" | "notes" | "summary" | "gap";
  /** The number of the record it was made from. */
  readonly seq: number;
  /** The number of the first record of its group. A reply and all its results form a group; any other message is one alone. */
  readonly unit: number;
}

/** A message of the prompt, with its source. It is made when it is first needed: most of a long session are never shown again. */
export class Entry implements Source {
  readonly kind: Source["kind"];
  readonly seq: number;
  readonly unit: number;
  readonly #make: () => Message;
  #message: Message | undefined;
  #size: number | undefined;

  constructor({ kind, seq, unit }: Source, make: () => Message) {
    this.kind = kind;
    this.seq = seq;
    this.unit = unit;
    this.#make = make;
  }

  /** Always the same object. A text that an earlier version recorded is mended, so that the session lives. */
  get message(): Message {
    this.#message ??= soundMessage(this.#make());
    return this.#message;
  }

  /** Characters that the message adds to a request. */
  get size(): number {
    this.#size ??= sizeOf(this.message);
    return this.#size;
  }
}

/** The entries that replace everything older than a fold: the pinned entries, the notes and the summary. */
export function foldedInto({ before, notes, summary }: FoldRecord, pinned: readonly Entry[]): readonly Entry[] {
  return [...pinned, ...notesEntries(notes, before), standIn("summary", summary, before)];
}

/**
 * The entries that replace everything older than a prune: the kept entries (pinned entries and summaries), the notes, and a
 * message that counts the omitted groups.
 */
export function prunedInto({ before, notes }: PruneRecord, kept: readonly Entry[], groups: number): readonly Entry[] {
  const gap = `[${String(groups)} earlier steps of this run are left out here, because there is no room for them.]`;
  const summary = kept.findIndex(({ kind }) => kind === "summary");
  const notesIndex = summary < 0 ? kept.length : summary;
  return [
    ...kept.slice(0, notesIndex),
    ...notesEntries(notes, before),
    ...kept.slice(notesIndex),
    standIn("gap", gap, before),
  ];
}

function notesEntries(text: string | undefined, before: number): readonly Entry[] {
  return text === undefined ? [] : [standIn("notes", text, before)];
}

/** A message that replaces the records older than `before`. */
function standIn(kind: "notes" | "summary" | "gap", text: string, before: number): Entry {
  return new Entry({ kind, seq: before - 1, unit: before - 1 }, () => ({ role: "user", text }));
}

/** Characters that the entries add to a request. */
export function sizeOfAll(entries: readonly Entry[]): number {
  return entries.reduce((total, { size }) => total + size, 0);
}
