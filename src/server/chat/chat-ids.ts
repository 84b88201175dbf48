// The ids of a chat. All follow from the journal, so they are the same in each replay and after a restart.

import type { JournalRecord } from "../../core/index.js";

/** Inputs with such an id answer a call from within its message: they make no separate message. */
const answerMark = "answer:";

/** The id of the message of the user that an input is: the id of the input, or else of its record. */
export function userMessageId(sent: string | undefined, seq: number): string {
  return sent ?? `input:${String(seq)}`;
}

/** The id of the message that replies to a message of the user. */
export function replyMessageId(userMessage: string): string {
  return `reply:${userMessage}`;
}

/** The id of the input that answers the call which the record with this number has asked about. */
export function answerInputId(asked: number): string {
  return `${answerMark}${String(asked)}`;
}

/** True for the id of an input that answers a call from within its message. */
export function isAnswerInput(id: string | undefined): boolean {
  return id?.startsWith(answerMark) === true;
}

/** The id of an approval: the number of the record that asks for it, and the digest of the call that is shown. */
export function approvalIdOf(asked: number, digest: string): string {
  return `${String(asked)}.${digest}`;
}

/** The digest in the id of an approval; undefined if the id is not of that form, or of another record. */
export function digestIn(approvalId: string, asked: number): string | undefined {
  const [, seq, digest] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(approvalId) ?? [];
  return Number(seq) === asked ? digest : undefined;
}

/** The record that asked last about the call, or with the question, that has this id; undefined if none did. */
export function askingRecord(records: readonly JournalRecord[], id: string): AskingRecord | undefined {
  const found = records.findLast(
    (record) =>
      ((record.type === "parked" || record.type === "claim") && record.callId === id) ||
      (record.type === "question" && record.id === id),
  );
  return found as AskingRecord | undefined;
}

/** The record that asked last from within this call; undefined if none did. */
export function lastAsking(records: readonly JournalRecord[], callId: string): AskingRecord | undefined {
  const found = records.findLast((record) =>
    record.type === "parked" || record.type === "question" || (record.type === "claim" && record.ending === "waiting")
      ? record.callId === callId
      : false,
  );
  return found as AskingRecord | undefined;
}

/** A record that asks the user. */
export type AskingRecord = Extract<JournalRecord, { readonly type: "parked" | "claim" | "question" }>;
