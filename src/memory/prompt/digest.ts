// The digest: a summary made by rule, with one line per call and a length limit. Failures are dropped last.

import { argumentsOf, type Call, type JournalRecord } from "../../core/index.js";
import { escapeRoles } from "../../core/internal.js";
import { abridged, ends } from "./narrative.js";
import type { Entry } from "./entry.js";

/** Maximum length of each part of a line, in characters. */
const maxLength = { arguments: 160, outcome: 120, failure: 300, words: 300 };

interface Line {
  readonly text: string;
  /** True for failures, user input and earlier summaries: these lines are dropped last. */
  readonly isImportant: boolean;
}

/** Summarizes the entries in at most `room` characters, oldest first. */
export function digest(entries: readonly Entry[], records: readonly JournalRecord[], room: number): string {
  const calls = new Map<string, Call>();
  for (const { message } of entries) {
    if (message.role === "assistant") for (const call of message.reply.calls) calls.set(call.id, call);
  }
  return fit(
    entries.flatMap((entry) => lineOf(entry, records, calls, room)),
    room,
  );
}

function lineOf(
  { kind, message, seq }: Entry,
  records: readonly JournalRecord[],
  calls: ReadonlyMap<string, Call>,
  room: number,
): readonly Line[] {
  if (message.role === "assistant") {
    const { text } = message.reply;
    return text === "" ? [] : [{ text: `I said: ${inLine(text, maxLength.words)}`, isImportant: false }];
  }
  if (kind === "gap") return [];
  if (kind === "summary") return [{ text: summaryIn(message.text, Math.floor(room / 2)), isImportant: true }];
  const record = records[seq];
  if (record?.type === "result") {
    const { callId, name, text, failure, from } = record.result;
    const origin = from === undefined ? "" : "from outside: ";
    const call = calls.get(callId);
    const action = `${name}${call === undefined ? "" : ` ${inLine(argumentsOf(call), maxLength.arguments)}`}`;
    if (failure === undefined)
      return [{ text: `${action} -> ${origin}${inLine(text, maxLength.outcome)}`, isImportant: false }];
    return [
      {
        text: `${action} -> failed (${failure.kind}): ${origin}${inLine(failure.message, maxLength.failure)}`,
        isImportant: true,
      },
    ];
  }
  const isInput = kind === "input";
  const words = inLine(message.text, maxLength.words);
  return [{ text: isInput ? `The user said: ${words}` : words, isImportant: isInput }];
}

/** The lines that fit, in their original order. Important lines are chosen first, and later lines before earlier lines. */
function fit(lines: readonly Line[], room: number): string {
  const kept = new Set<Line>();
  const noteSize = 60;
  let left = room - noteSize;
  for (const isImportant of [true, false]) {
    for (const line of lines.filter((one) => one.isImportant === isImportant).reverse()) {
      if (line.text.length + 1 > left) break;
      left -= line.text.length + 1;
      kept.add(line);
    }
  }
  const dropped = lines.length - kept.size;
  const shown = lines.filter((line) => kept.has(line)).map(({ text }) => text);
  return [...(dropped > 0 ? [`[${String(dropped)} lines more are left out.]`] : []), ...shown].join("\n");
}

function inLine(text: string, room: number): string {
  return abridged(escapeRoles(text.replace(/\s+/g, " ").trim()), room);
}

/** An earlier summary in at most `room` characters. It is cut between lines if it has several. */
function summaryIn(text: string, room: number): string {
  const body = withoutHeading(text);
  if (body.length <= room) return body;
  const kept = ends(body.split("\n"), room);
  return kept === "[...]" ? abridged(body, room) : kept;
}

function withoutHeading(text: string): string {
  return text.startsWith("[") ? text.slice(text.indexOf("\n\n") + 2) : text;
}
