// The digest: what was done, one line for each call, made by rule and kept within a bound. Failures are the last to go.

import { argumentsOf, type Call, type JournalRecord } from "../../core/index.js";
import { escapeRoles } from "../../core/internal.js";
import { abridged, ends } from "./narrative.js";
import type { Entry } from "./entry.js";

/** Characters of one line's parts. */
const most = { arguments: 160, outcome: 120, failure: 300, words: 300 };

interface Line {
  readonly text: string;
  /** What is kept longest: failures, the user's words, and what was summed up before. */
  readonly isDear: boolean;
}

/** What was done, in at most `room` characters, oldest first. */
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
    return text === "" ? [] : [{ text: `I said: ${inLine(text, most.words)}`, isDear: false }];
  }
  if (kind === "gap") return [];
  if (kind === "summary") return [{ text: summaryIn(message.text, Math.floor(room / 2)), isDear: true }];
  const record = records[seq];
  if (record?.type === "result") {
    const { callId, name, text, failure, from } = record.result;
    const whence = from === undefined ? "" : "from outside: ";
    const call = calls.get(callId);
    const did = `${name}${call === undefined ? "" : ` ${inLine(argumentsOf(call), most.arguments)}`}`;
    if (failure === undefined) return [{ text: `${did} -> ${whence}${inLine(text, most.outcome)}`, isDear: false }];
    return [
      { text: `${did} -> failed (${failure.kind}): ${whence}${inLine(failure.message, most.failure)}`, isDear: true },
    ];
  }
  const isInput = kind === "input";
  const said = inLine(message.text, most.words);
  return [{ text: isInput ? `The user said: ${said}` : said, isDear: isInput }];
}

/** As many lines as fit: those that are dear first, of each kind the latest first; in their order. */
function fit(lines: readonly Line[], room: number): string {
  const kept = new Set<Line>();
  const note = 60;
  let left = room - note;
  for (const isDear of [true, false]) {
    for (const line of lines.filter((one) => one.isDear === isDear).reverse()) {
      if (line.text.length + 1 > left) break;
      left -= line.text.length + 1;
      kept.add(line);
    }
  }
  const out = lines.length - kept.size;
  const shown = lines.filter((line) => kept.has(line)).map(({ text }) => text);
  return [...(out > 0 ? [`[${String(out)} lines more are left out.]`] : []), ...shown].join("\n");
}

function inLine(text: string, room: number): string {
  return abridged(escapeRoles(text.replace(/\s+/g, " ").trim()), room);
}

/** An earlier summary, whole lines of it where there are several. */
function summaryIn(text: string, room: number): string {
  const said = withoutHeading(text);
  if (said.length <= room) return said;
  const kept = ends(said.split("\n"), room);
  return kept === "[...]" ? abridged(said, room) : kept;
}

function withoutHeading(text: string): string {
  return text.startsWith("[") ? text.slice(text.indexOf("\n\n") + 2) : text;
}
