// The data parts of a chat: what records and events tell that the AI SDK has no part for.

import type { Event, JournalRecord } from "../../core/index.js";
import { verificationOf } from "../../core/internal.js";
import type { ChatChunk, ChatDataChunk, ChatMetadata } from "./ui-chunk.js";

type Recorded<Type extends JournalRecord["type"]> = Extract<JournalRecord, { readonly type: Type }>;

/** The result of a check. */
export function checkData({ seq, type: _type, at: _at, spent: _spent, ...data }: Recorded<"check">): ChatDataChunk {
  return { type: "data-check", id: `check-${String(seq)}`, data };
}

/** The evidence of an accepted completion. Undefined if there is none, and nothing that the model declared unverified. */
export function receiptsData({ seq, receipts, unverified = [], by }: Recorded<"claim">): ChatDataChunk | undefined {
  if (receipts.length === 0 && unverified.length === 0) return undefined;
  const data = { by, verified: verificationOf(receipts), unverified, receipts };
  return { type: "data-receipts", id: `receipts-${String(seq)}`, data };
}

/** A question that waits for an answer: its tool, its value, the form of the reply. */
export function questionData(record: Recorded<"claim" | "question">): ChatDataChunk {
  const { seq, callId, value, replySchema, expiresAt } = record;
  const tool = record.type === "claim" ? record.by : record.name;
  const terms = { ...(replySchema && { replySchema }), ...(expiresAt !== undefined && { expiresAt }) };
  return { type: "data-question", id: `question-${String(seq)}`, data: { callId, tool, value, ...terms } };
}

/** The number of iterations in a row that failed. One part of a message has the latest number. */
export function circuitData(inARow: number, signatures: readonly string[]): ChatDataChunk {
  return { type: "data-circuit", id: "circuit", data: { inARow, signatures } };
}

type DataOf = { readonly [Type in JournalRecord["type"]]?: (record: Recorded<Type>) => unknown };

const data: DataOf = {
  notice: (record) => {
    const { about, text } = record;
    const reason = "reason" in record ? { reason: record.reason } : {};
    return { about, ...reason, message: "message" in record ? record.message : text };
  },
  "error-context": ({ failure: { kind, message } }) => ({ kind, message }),
  "background-end": ({ callId, work, result: { ok, text, shown = text } }) => ({ callId, work, ok, text: shown }),
  expiry: ({ message }) => ({ message }),
  overflow: ({ message }) => ({ message }),
  outcome: (record) => {
    const { outcome } = metadataOf(record);
    return outcome.status === "completed" || outcome.status === "waiting" ? undefined : outcome;
  },
};

/** The part that one record makes by itself. Undefined for a record that a page does not show. */
export function otherData(record: JournalRecord): ChatDataChunk | undefined {
  const { type, seq } = record;
  const made = (data[type] as ((record: JournalRecord) => unknown) | undefined)?.(record);
  if (made === undefined) return undefined;
  const kind = type === "error-context" ? "failure" : type === "background-end" ? "background" : type;
  return { type: `data-${kind}`, id: `${kind}-${String(seq)}`, data: made };
}

/** The metadata of a message whose run ended so. It has each field, because a page merges it into the metadata of an earlier end. */
export function metadataOf({ status, reason, message }: Recorded<"outcome">): ChatMetadata {
  return { outcome: { status, reason: reason ?? null, message: message ?? null } };
}

/** The last chunk of a run. */
export function endOf(record: Recorded<"outcome">): ChatChunk {
  const { status, message = "" } = record;
  if (status === "failed") return { type: "error", errorText: message === "" ? "The run failed." : message };
  if (status === "aborted") return { type: "abort", reason: message };
  const finishReason = status === "completed" ? "stop" : status === "waiting" ? "tool-calls" : "other";
  return { type: "finish", finishReason, messageMetadata: metadataOf(record) };
}

/** Progress that a page may show while it lasts. No message keeps it. */
export function transientData(event: Event): ChatDataChunk | undefined {
  const told = (kind: string, data: unknown): ChatDataChunk => ({ type: `data-${kind}`, data, transient: true });
  if (event.type === "call-progress")
    return told("progress", { callId: event.callId, progress: event.progress ?? null });
  if (event.type === "call-start") return told("running", { callId: event.call.id, tool: event.call.name });
  if (event.type === "check-start") return told("checking", { check: event.check, when: event.when });
  if (event.type === "request-retry") {
    const { attempt, delay, reason } = event;
    return told("retry", { attempt, delay, reason });
  }
  if (event.type !== "child-event" || event.event.type !== "call-start") return undefined;
  const { id: callId, name: tool } = event.event.call;
  return told("running", { callId, tool, path: event.path });
}
