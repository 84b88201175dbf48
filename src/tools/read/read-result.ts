// read_result: reads the rest of a result that the prompt shows only in part.

import { z } from "zod";
import { tool, type JournalRecord, type JournalResult, type Tool } from "../../core/index.js";
import { countLines, readerName, shortId, wholeAt } from "../../core/internal.js";

/** The arguments of `read_result`. */
export interface ReadResult {
  /** The id of the call, as the marker in the prompt gives it. */
  call: string;
  /** The first line to read, counted from 1. Default 1. */
  from_line?: number | undefined;
  /** The number of lines to read. Default: as many as fit. */
  lines?: number | undefined;
  /** The first character to read, counted from 1, instead of a line: for texts with few and long lines. */
  from_character?: number | undefined;
}

/** Characters of one answer. The answer itself is never clipped. */
const maxCharacters = 8000;

/** A whole number, at least 1. The rule is checked here, because some servers refuse bounds in a schema. */
const counting = (): z.ZodInt => z.int().refine((number) => number >= 1, "must be at least 1");

const parameters = z.object({
  call: z.string().describe("The call as the note names it"),
  from_line: counting().optional().describe("The first line to read, counted from 1"),
  lines: counting().optional().describe("How many lines to read"),
  from_character: counting().optional().describe("Instead of from_line: the first character to read, from 1"),
});

/**
 * `read_result{ call, from_line?, lines?, from_character? }`: the result of an earlier call in this session, at most
 * 8000 characters at a time. It reads results that the prompt no longer shows in full, because they were too long or
 * too old. The files that went with the result are attached again.
 */
export function readResult(): Tool<typeof readerName, ReadResult, string, "never"> {
  return tool({
    name: readerName,
    description:
      "Reads the result of an earlier call where the prompt shows only a part of it. A note in brackets there says which call to name, and from where to read.",
    input: parameters,
    effect: "none",
    run({ call, from_line: line, lines, from_character: character }, { records, attach }) {
      const { text, attachments = [] } = resultOf(records, call);
      attachments.forEach(attach);
      if (character !== undefined) return readCharacters(text, character - 1);
      return readLines(text, line ?? 1, lines ?? Infinity);
    },
  });
}

function resultOf(records: readonly JournalRecord[], call: string): JournalResult {
  const isNamed = (id: string): boolean => id === call || `/${shortId(id)}`.endsWith(`/${call}`);
  const found = records.findLast((record) => record.type === "result" && isNamed(record.result.callId));
  if (found?.type === "result") return found.result;
  throw new Error(`No call ${JSON.stringify(call)} has a result. Name it exactly as the note in brackets does.`);
}

function readCharacters(text: string, index: number): string {
  if (index >= text.length) throw new Error(`The result has ${String(text.length)} characters.`);
  const start = wholeAt(text, index);
  const end = wholeAt(text, Math.min(text.length, start + maxCharacters));
  const range = `[Characters ${String(start + 1)} to ${String(end)} of ${String(text.length)}.`;
  const next = end < text.length ? ` Read on with from_character ${String(end + 1)}.` : "";
  return `${text.slice(start, end)}\n${range}${next}]`;
}

function readLines(text: string, first: number, count: number): string {
  const all = countLines(text, 0, text.length);
  let start = 0;
  for (let line = 1; line < first; line += 1) {
    const next = text.indexOf("\n", start);
    if (next < 0 || next + 1 >= text.length) throw new Error(`The result has ${String(all)} lines.`);
    start = next + 1;
  }
  let end = start;
  let line = first - 1;
  while (end < text.length && line - first + 1 < count) {
    const newline = text.indexOf("\n", end);
    const next = newline < 0 ? text.length : newline + 1;
    if (next - start > maxCharacters) break;
    end = next;
    line += 1;
  }
  if (end === start && text !== "") return readCharacters(text, start);
  const range = `[Lines ${String(first)} to ${String(line)} of ${String(all)}.`;
  const next = end < text.length ? ` Read on with from_line ${String(line + 1)}.` : "";
  return `${text.slice(start, end)}${text.slice(start, end).endsWith("\n") ? "" : "\n"}${range}${next}]`;
}
