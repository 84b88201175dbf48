// Words for the records that make their own rows.

import type { JournalRecord } from "../../core/index.js";
import type { EventRow, Tone } from "./row.js";

type Described = Pick<EventRow, "label" | "text" | "tone">;

const toneOfStatus: Readonly<Record<string, Tone>> = {
  completed: "good",
  waiting: "wait",
  stopped: "bad",
  aborted: "quiet",
  failed: "bad",
};

/** The label and the words of a record. */
export function describeRecord(record: JournalRecord): Described {
  const say = (label: string, text: string, tone: Tone = "plain"): Described => ({ label, text, tone });
  switch (record.type) {
    case "input":
      return say(record.answers === undefined ? "input" : "answer", record.text, "user");
    case "steer":
      return say("steer", record.text, "user");
    case "answer":
      return say("answer", textOf(record.value), "user");
    case "approval":
      return say(record.allowed ? "approved" : "refused", record.reason ?? record.text ?? "", "user");
    case "parked":
      return say("approval", `${record.name}: ${record.reason}`, "wait");
    case "question":
      return say("question", `${record.name}: ${textOf(record.value)}`, "wait");
    case "resume":
      return say("resume", "another process goes on", "quiet");
    case "fork":
      return say("fork", `a copy of ${record.from}: it goes on if somebody asks`, "quiet");
    case "claim":
      if (record.ending === "waiting") return say("question", textOf(record.value), "wait");
      return record.ending === "completed" && record.receipts.length === 0
        ? say("unchecked claim", textOf(record.value))
        : say("claim", textOf(record.value), "good");
    case "outcome":
      return say(record.status, record.message ?? record.reason ?? "", toneOfStatus[record.status] ?? "plain");
    case "error-context":
      return say("failure", record.failure.message, "bad");
    case "check":
      return say(record.passed ? "check passed" : "check failed", record.check, record.passed ? "good" : "bad");
    case "notice":
      return say("notice", record.text, "quiet");
    case "fold":
      return say("fold", `older messages became a summary by ${record.by}`, "quiet");
    case "stub":
      return say("stubs", "older results became stubs", "quiet");
    case "prune":
      return say("prune", "the oldest messages left the prompt", "quiet");
    case "baseline":
      return say("baseline", "the checks began", "quiet");
    case "hand-over":
      return say("hand-over", record.speakers.join(" / ") || "back to the first agent", "plain");
    case "background":
      return say("background", `${record.work} goes on in the background`, "quiet");
    case "background-end":
      return say("background end", `${record.work}: ${record.result.text}`, record.result.ok ? "good" : "bad");
    case "overflow":
    case "expiry":
      return say(record.type, record.message, "bad");
    case "reply":
    case "decision":
    case "result":
    case "child":
    case "iteration":
    case "intent":
    case "spend":
      return say(record.type, "", "quiet");
  }
}

/** A value as words: a question's own text, or JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null)
    for (const key of ["question", "message", "result", "summary", "text"]) {
      const part = (value as Record<string, unknown>)[key];
      if (typeof part === "string") return part;
    }
  return JSON.stringify(value);
}
