// The narrative: the history as text for the model that writes a summary, within a length limit.

import { argumentsOf, type JournalRecord } from "../../core/index.js";
import { describeFailure, tailOf, escapeRoles, headOf, wrapOutside } from "../../core/internal.js";
import type { Entry } from "./entry.js";

/** Maximum characters of one argument or result. The limit is halved until the narrative fits, but not below `minLength`. */
const maxLength = 4000;
const minLength = 250;

/** The history in at most `room` characters. All parts are shortened before parts in the middle are omitted. */
export function narrative(entries: readonly Entry[], records: readonly JournalRecord[], room: number): string {
  const nonce = nonceIn(records);
  for (let each = maxLength; ; each /= 2) {
    const parts = entries.flatMap((entry) => tell(entry, { records, each, nonce }));
    const text = parts.join("\n");
    if (text.length <= room) return text;
    if (each / 2 < minLength) return ends(parts, room);
  }
}

/** The latest nonce. Older records cannot contain it, and in newer records `wrapOutside` breaks it up. */
function nonceIn(records: readonly JournalRecord[]): string | undefined {
  for (const record of records.toReversed()) {
    if ((record.type === "input" || record.type === "resume") && record.nonce !== undefined) return record.nonce;
  }
  return undefined;
}

/** The settings of the narrative: at most `each` characters per part, and the nonce that wraps outside content. */
interface Telling {
  readonly records: readonly JournalRecord[];
  readonly each: number;
  readonly nonce: string | undefined;
}

function tell({ kind, message, seq }: Entry, { records, each, nonce }: Telling): readonly string[] {
  const record = records[seq];
  if (kind === "gap") return [];
  if (message.role === "assistant") {
    const { text, calls } = message.reply;
    const words = text === "" ? [] : [`I said: ${abridged(text, each)}`];
    return [...words, ...calls.map((call) => `I called ${call.name} ${abridged(argumentsOf(call), each)}`)];
  }
  if (record?.type === "result" && kind !== "summary") {
    const { name, text, from } = record.result;
    const shortened = abridged(text, each);
    if (from === undefined) return [`Result of ${name}: ${shortened}`];
    return [
      `Result of ${name}, from outside: ${nonce === undefined ? escapeRoles(shortened) : wrapOutside(shortened, nonce)}`,
    ];
  }
  if (record?.type === "error-context" && kind === "failure") return [describeFailure(record.failure)];
  if (kind === "summary") return [`My earlier summary: ${message.text}`];
  return [`${kind === "input" ? "The user said" : "I was told"}: ${abridged(message.text, each)}`];
}

/** The first and the last parts, in at most `room` characters. No part is cut, so that outside content keeps its markers. */
export function ends(parts: readonly string[], room: number): string {
  const mark = "[...]";
  let left = room - mark.length - 1;
  const take = (from: readonly string[], share: number): readonly string[] => {
    const bound = left - share;
    let count = 0;
    for (; count < from.length; count += 1) {
      const size = (from[count] ?? "").length + 1;
      if (left - size < bound) break;
      left -= size;
    }
    return from.slice(0, count);
  };
  const first = take(parts, Math.floor((left * 2) / 3));
  const last = take(parts.slice(first.length).toReversed(), left).toReversed();
  const isWhole = first.length + last.length === parts.length;
  return [...first, ...(isWhole ? [] : [mark]), ...last].join("\n");
}

/** The text if it has at most `room` characters; otherwise its start (two thirds of the room) and its end (one third). */
export function abridged(text: string, room: number): string {
  const mark = " [...] ";
  if (text.length <= room) return text;
  const left = Math.max(0, room - mark.length);
  const end = Math.floor(left / 3);
  return `${headOf(text, left - end)}${mark}${tailOf(text, end)}`;
}
