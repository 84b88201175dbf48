// The journal of a trial as lines for people: the words, calls, results and checks of its runs, in order.

import { argumentsOf, type Call, type JournalRecord } from "../../core/index.js";
import { headOf, isPlainObject, tailOf, verificationOf } from "../../core/internal.js";

/** One line of a journal. */
export interface JournalLine {
  /** Milliseconds since the first record. */
  readonly after: number;
  /** One or a few words: the kind of the line. */
  readonly label: string;
  readonly text: string;
  /** The meaning of the line; `step` begins an iteration. */
  readonly tone: "plain" | "user" | "good" | "bad" | "quiet" | "step";
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
  switch (record.type) {
    case "input":
      return [[record.run === 1 ? "task" : record.answers === undefined ? "user" : "answer", record.text, "user"]];
    case "steer":
      return [["user, meanwhile", record.text, "user"]];
    case "answer":
      return [["answer", textOf(record.value), "user"]];
    case "approval":
      return [[record.allowed ? "approved" : "not approved", record.text ?? record.reason ?? "", "user"]];
    case "reply":
      return replyLines(record);
    case "result":
    case "background-end": {
      const { ok, text, name } = record.result;
      return [[`${name} ${ok ? "returned" : "failed"}`, text, ok ? "plain" : "bad"]];
    }
    case "error-context":
      return [["failed", record.failure.message, "bad"]];
    case "decision":
      return record.allowed ? [] : [["not allowed", record.reason, "bad"]];
    case "check":
      return [
        [
          `check ${record.check} ${record.passed ? "passed" : "did not pass"}`,
          record.output,
          record.passed ? "good" : "bad",
        ],
      ];
    case "claim":
      return [
        [
          record.ending === "completed" ? `accepted, ${verificationOf(record.receipts)}` : "accepted",
          textOf(record.value),
          record.ending === "completed" ? "good" : "plain",
        ],
      ];
    case "outcome":
      return [[record.status, record.message ?? record.reason ?? "", record.status === "completed" ? "good" : "bad"]];
    case "baseline":
    case "intent":
    case "iteration":
    case "spend":
      return [];
    case "notice":
    case "parked":
    case "question":
    case "hand-over":
    case "background":
    case "child":
    case "resume":
    case "fork":
    case "fold":
    case "stub":
    case "prune":
    case "overflow":
    case "expiry":
      return asideLines(record);
  }
}

/** Records between the steps: the harness speaks, the prompt is shortened, another process or agent goes on. */
type Aside = Extract<
  JournalRecord,
  {
    readonly type:
      | "notice"
      | "parked"
      | "question"
      | "hand-over"
      | "background"
      | "child"
      | "resume"
      | "fork"
      | "fold"
      | "stub"
      | "prune"
      | "overflow"
      | "expiry";
  }
>;

function asideLines(record: Aside): readonly Said[] {
  switch (record.type) {
    case "notice":
      return [[`harness about ${record.about}`, record.text, "quiet"]];
    case "parked":
      return [[`${record.name} waits for an approval`, record.reason, "quiet"]];
    case "question":
      return [[`${record.name} asks`, textOf(record.value)]];
    case "hand-over":
      return [[`handed over to ${record.speakers.join(" / ") || "the first agent"}`, record.text]];
    case "background":
      return [[`goes on in the background as ${record.work}`, "", "quiet"]];
    case "child":
      return [["runs an agent", record.callId, "quiet"]];
    case "resume":
      return [["another process goes on", "", "quiet"]];
    case "fork":
      return [[`a copy of ${record.from}`, "", "quiet"]];
    case "fold":
      return [["older messages became a summary", record.summary, "quiet"]];
    case "stub":
      return [["older results became one line each", "", "quiet"]];
    case "prune":
      return [["the oldest messages left the prompt", "", "quiet"]];
    case "overflow":
    case "expiry":
      return [[record.type, record.message, "bad"]];
  }
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

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (isPlainObject(value)) {
    const [first, ...others] = Object.values(value);
    if (typeof first === "string" && others.length === 0) return first;
  }
  return JSON.stringify(value);
}
