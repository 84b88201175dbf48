// Entries: the messages of a prompt with what is known of each, and what a step that shortens it makes of them.

import type { Message } from "../../core/index.js";
import { sizeOf, type FoldRecord, type PruneRecord } from "../../core/internal.js";

/** A message, and where it comes from. */
export interface Entry {
  readonly message: Message;
  readonly kind: "input" | "reply" | "result" | "failure" | "notice" | "stub" | "notes" | "summary" | "gap";
  /** The record it was made from. */
  readonly seq: number;
  /** The first record of what must stay together: a reply with all its results, anything else alone. */
  readonly unit: number;
  /** Characters that it adds to a request. */
  readonly size: number;
}

/** What a fold makes of the entries that are older than its record: the pins, the notes, the summary. */
export function foldedInto({ before, notes, summary }: FoldRecord, pinned: readonly Entry[]): readonly Entry[] {
  return [...pinned, ...noted(notes, before), standIn("summary", summary, before)];
}

/** What a prune leaves of them: the pins, the notes, the summary if there is one, and how many groups are gone. */
export function prunedInto({ before, notes }: PruneRecord, kept: readonly Entry[], groups: number): readonly Entry[] {
  const gap = `[${String(groups)} earlier steps of this run are left out here, because there is no room for them.]`;
  const summary = kept.findIndex(({ kind }) => kind === "summary");
  const place = summary < 0 ? kept.length : summary;
  return [...kept.slice(0, place), ...noted(notes, before), ...kept.slice(place), standIn("gap", gap, before)];
}

function noted(text: string | undefined, before: number): readonly Entry[] {
  return text === undefined ? [] : [standIn("notes", text, before)];
}

/** What stands for records older than this one. */
function standIn(kind: "notes" | "summary" | "gap", text: string, before: number): Entry {
  return entryOf(kind, { role: "user", text }, { seq: before - 1, unit: before - 1 });
}

/** The entry of a message. */
export function entryOf(kind: Entry["kind"], message: Message, from: Pick<Entry, "seq" | "unit">): Entry {
  return { message, kind, seq: from.seq, unit: from.unit, size: sizeOf(message) };
}

/** Characters that they add to a request. */
export function sizeOfAll(entries: readonly Entry[]): number {
  return entries.reduce((total, { size }) => total + size, 0);
}
