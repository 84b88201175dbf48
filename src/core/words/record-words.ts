// The words of records for people: every page and every log says the same about the same record.

import { verificationOf } from "../data/receipt.js";
import { isPlainObject } from "../data/json.js";
import { principalWords, type Principal } from "../data/principal.js";
import type { AwaitedQuorum } from "../ports/outcome.js";
import type { ApprovalRecord, JournalRecord } from "../journal/record.js";
import { raiseLimit } from "../journal/spent.js";

/** The meaning of a record, which a page shows as a colour. */
export type Tone = "plain" | "user" | "good" | "bad" | "wait" | "quiet";

/** A record in words. */
export interface RecordWords {
  /** One or a few words: the kind of the record. */
  readonly label: string;
  /** The content of the record. Its first line is enough for a list. Empty if the label says it all. */
  readonly text: string;
  readonly tone: Tone;
}

const toneOfStatus: Readonly<Record<string, Tone>> = { completed: "good", waiting: "wait", aborted: "quiet" };

/** The words of a record. Undefined for a reply, which is shown with its calls, and for records that tell people nothing. */
export function recordWords(record: JournalRecord): RecordWords | undefined {
  const say = (label: string, text = "", tone: Tone = "plain"): RecordWords => ({ label, text, tone });
  switch (record.type) {
    case "input":
      if (record.text === "" && record.answers === undefined) return say(by("goes on", record), "", "user");
      return say(by(record.answers === undefined ? "input" : "answer", record), record.text, "user");
    case "steer":
      return say(by("steer", record), record.text, "user");
    case "answer":
      return say(by("answer", record), valueWords(record.value), "user");
    case "approval":
      return say(by(record.allowed ? "approved" : "refused", record), approvalWords(record), "user");
    case "decision":
      return record.allowed ? undefined : say("not allowed", record.reason, "bad");
    case "parked":
      return say("needs approval", `${awaitedWords(record.name, record.reason)}${peopleWords(record.quorum)}`, "wait");
    case "question":
      return say("question", `${record.name}: ${valueWords(record.value)}`, "wait");
    case "result": {
      const { name, ok, text } = record.result;
      return say(`${name} ${ok ? "returned" : "failed"}`, text, ok ? "plain" : "bad");
    }
    case "claim": {
      const words = valueWords(record.value);
      if (record.ending === "waiting") return say("question", words, "wait");
      if (record.ending !== "completed") return say("claim", words);
      const verified = verificationOf(record.receipts);
      return say(`claim, ${verified}`, words, verified === "checked" ? "good" : "plain");
    }
    case "outcome":
      return say(by(record.status, record), record.message ?? record.reason, toneOfStatus[record.status] ?? "bad");
    case "error-context":
      return say("failure", record.failure.message, "bad");
    case "check":
      return say(
        record.passed ? "check passed" : "check failed",
        `${record.check} (${record.when})\n${record.output}`.trimEnd(),
        record.passed ? "good" : "bad",
      );
    case "notice":
      return say("notice", record.text, "quiet");
    case "resume":
      return say("resume", "another process goes on", "quiet");
    case "fork":
      return say("fork", `a copy of ${record.from}: it goes on if somebody asks`, "quiet");
    case "child":
      return say("agent", `runs as ${record.callId}`, "quiet");
    case "fold":
      return say("fold", `older messages became a summary, by ${record.by}\n${record.summary}`, "quiet");
    case "stub":
      return say("stubs", "older results became one line each", "quiet");
    case "prune":
      return say("prune", "the oldest messages left the prompt", "quiet");
    case "hand-over":
      return say("hand-over", `to ${record.speakers.at(-1) ?? "the first agent"}\n${record.text}`);
    case "background":
      return say("background", `${record.work} goes on in the background`, "quiet");
    case "background-end": {
      const { ok, text } = record.result;
      return say(`background ${ok ? "end" : "failure"}`, `${record.work}: ${text}`, ok ? "good" : "bad");
    }
    case "overflow":
    case "expiry":
      return say(record.type, record.message, "bad");
    case "reply":
    case "baseline":
    case "iteration":
    case "intent":
    case "spend":
      return undefined;
  }
}

/** The wait for an approval in words: the tool and the reason to ask, or the question of a run at its limit, which is no call. */
function awaitedWords(name: string, why: string): string {
  return name === raiseLimit ? why : `${name}: ${why}`;
}

/** The people who said yes to a call, and the number who are missing. */
export function quorumWords({ needed, given, missing }: AwaitedQuorum): string {
  const who = given.map(principalWords).join(", ");
  return `${String(needed)} people have to say yes: ${who === "" ? "nobody" : who} did, ${String(missing)} missing`;
}

/** The number of people whose yes a call needs, in brackets; empty for one. */
function peopleWords(quorum = 1): string {
  return quorum === 1 ? "" : ` (${String(quorum)} people have to say yes)`;
}

/** The reason of an answer, and the number of people who are missing after it. */
function approvalWords({ text, reason, missing }: ApprovalRecord): string | undefined {
  const people = missing === undefined ? undefined : `${String(missing)} more people have to say yes`;
  return [text ?? reason, people].filter((words) => words !== undefined).join("\n") || undefined;
}

/** The words with the name of the person or program that gave the record, if the record says it. */
function by(words: string, { by: principal }: { readonly by?: Principal }): string {
  return principal === undefined ? words : `${words} by ${principal.name ?? principal.id}`;
}

/** Fields whose text stands for the whole value. */
const spoken = ["question", "message", "result", "summary", "text", "reason"] as const;

/**
 * A value in words: its question or message, and below it the other fields, a line each. The suggestions of a question are left out. The
 * question of an agent that a call runs has the tools that lead to it before it.
 */
export function valueWords(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const below = wordsFromBelow(value);
  if (below !== undefined) return below;
  const key = spoken.find((name) => typeof value[name] === "string");
  const others = Object.entries(value).filter(([name]) => name !== key && name !== "suggestions");
  const lines = others.map(([name, field]) => `${name}: ${fieldWords(field)}`);
  return [...(key === undefined ? [] : [value[key] as string]), ...lines].join("\n");
}

/** The question of an agent that a call runs, with the tools that lead to it; undefined for any other value. */
export function wordsFromBelow(value: unknown): string | undefined {
  if (!isPlainObject(value)) return undefined;
  const { path, by, approval, value: asked } = value;
  if (!Array.isArray(path) || !path.every((one) => typeof one === "string") || typeof by !== "string") return undefined;
  const why = isPlainObject(approval) && String(approval["why"]);
  const isAtLimit = by === raiseLimit;
  const words = why === false ? valueWords(asked) : isAtLimit ? why : `${by} waits for an approval: ${why}`;
  return `${path.join(" > ")}: ${words}`;
}

function fieldWords(field: unknown): string {
  return typeof field === "string" ? field : JSON.stringify(field);
}
