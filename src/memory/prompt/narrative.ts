// The narrative: what was done, as a text for whoever is to summarize it, within a bound.

import { argumentsOf, type JournalRecord } from "../../core/index.js";
import { describeFailure, escapeRoles, wrapOutside } from "../../core/internal.js";
import type { Entry } from "./entry.js";

/** Characters of one argument or result, at first and at least. */
const most = 4000;
const least = 250;

/** What was done, in at most `room` characters: every part is cut short before a part of the middle is left out. */
export function narrative(entries: readonly Entry[], records: readonly JournalRecord[], room: number): string {
  const nonce = nonceIn(records);
  for (let each = most; ; each /= 2) {
    const parts = entries.flatMap((entry) => tell(entry, { records, each, nonce }));
    const text = parts.join("\n");
    if (text.length <= room) return text;
    if (each / 2 < least) return ends(parts, room);
  }
}

/** The latest nonce: nothing that was recorded before it can know it, and what was since is kept from saying it. */
function nonceIn(records: readonly JournalRecord[]): string | undefined {
  for (const record of records.toReversed()) {
    if ((record.type === "input" || record.type === "resume") && record.nonce !== undefined) return record.nonce;
  }
  return undefined;
}

/** How an entry is told: in so many characters, and wrapped with this where it comes from outside. */
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
    const said = text === "" ? [] : [`I said: ${abridged(text, each)}`];
    return [...said, ...calls.map((call) => `I called ${call.name} ${abridged(argumentsOf(call), each)}`)];
  }
  if (record?.type === "result" && kind !== "summary") {
    const { name, text, from } = record.result;
    const told = abridged(text, each);
    if (from === undefined) return [`Result of ${name}: ${told}`];
    return [`Result of ${name}, from outside: ${nonce === undefined ? escapeRoles(told) : wrapOutside(told, nonce)}`];
  }
  if (record?.type === "error-context" && kind === "failure") return [describeFailure(record.failure)];
  if (kind === "summary") return [`My earlier summary: ${message.text}`];
  return [`${kind === "input" ? "The user said" : "I was told"}: ${abridged(message.text, each)}`];
}

/** The first parts and the last, in so many characters: a part is cut nowhere, so that what is from outside stays marked as such. */
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

/** The text, or its first two thirds and its last third within so many characters. */
export function abridged(text: string, room: number): string {
  const mark = " [...] ";
  if (text.length <= room) return text;
  const left = Math.max(0, room - mark.length);
  const end = Math.floor(left / 3);
  return `${text.slice(0, left - end)}${mark}${end === 0 ? "" : text.slice(-end)}`;
}
