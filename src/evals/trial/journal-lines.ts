// The journal of a trial as lines for people: the words, calls, results and checks of its runs, in order.

import { argumentsOf, type Call, type JournalRecord } from "../../core/index.js";
import { headOf, isPlainObject, recordWords, tailOf, type Tone } from "../../core/internal.js";

/** One line of a journal. */
export interface JournalLine {
  /** Milliseconds since the first record. */
  readonly after: number;
  /** One or a few words: the kind of the line. */
  readonly label: string;
  readonly text: string;
  /** The meaning of the line; `step` begins an iteration. */
  readonly tone: Tone | "step";
}

/** Characters kept of the start and of the end of a long text. */
const kept = { start: 4_000, end: 2_000 };

/** The lines of the records. A long text keeps its start and its end, and says how much is left out. */
export function journalLines(records: readonly JournalRecord[]): readonly JournalLine[] {
  const startedAt = records[0]?.at ?? 0;
  return records.flatMap((record) =>
    linesOf(record).map(([label, text = "", tone = "plain"]) => ({
      after: Math.max(0, record.at - startedAt),
      label,
      text: shortened(text.trimEnd()),
      tone,
    })),
  );
}

function shortened(text: string): string {
  const { start, end } = kept;
  if (text.length <= start + end) return text;
  const left = text.length - start - end;
  return `${headOf(text, start)}\n[... ${String(left)} characters are left out ...]\n${tailOf(text, end)}`;
}

type Said = readonly [label: string, text?: string, tone?: JournalLine["tone"]];

function linesOf(record: JournalRecord): readonly Said[] {
  if (record.type === "reply") return replyLines(record);
  const words = recordWords(record);
  return words === undefined ? [] : [[words.label, words.text, words.tone]];
}

function replyLines({ iteration, reply }: Extract<JournalRecord, { type: "reply" }>): readonly Said[] {
  const { inputTokens, outputTokens } = reply.usage;
  const model = reply.model ?? reply.served?.model;
  const facts = `${String(inputTokens)} tokens in, ${String(outputTokens)} out${model === undefined ? "" : `, ${model}`}`;
  return [
    [`iteration ${String(iteration)}`, facts, "step"],
    ...(reply.text.trim() === "" ? [] : [["model", reply.text] as const]),
    ...reply.calls.map((call): Said => [`calls ${call.name}`, fieldsOf(call)]),
  ];
}

/** The arguments, one field a line, texts as they are. */
function fieldsOf(call: Call): string {
  if (call.type !== "call" || !isPlainObject(call.input)) return argumentsOf(call);
  return Object.entries(call.input)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
