// The cuts between the messages of a chat: which records are words of the user, and which go on with the message that asked.

import type { Attachment, JournalRecord } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { ClientCalls } from "../hub/page-tools.js";
import { isAnswerInput, replyMessageId, userMessageId } from "./chat-ids.js";

/** Words of the user: a separate message. */
export interface UserWords {
  readonly id: string;
  /** Empty for a run without new words: it goes on with the message before it, and begins one only if there is none. */
  readonly text: string;
  /** The files that go with the words. None without any. */
  readonly attachments: readonly Attachment[];
}

/** The beginning of the reason of a no that was given in words. Core writes it before the words. */
const noInWords = "the user said no, and: ";

/**
 * The words of the user that a record has; undefined for any other record, for an answer from within the message that asked, and for the
 * result of a call that a page carried out.
 */
export function wordsIn(record: JournalRecord, ofClient?: ClientCalls): UserWords | undefined {
  if (record.type === "answer" && ofClient?.asked(record.answers) === true) return undefined;
  const text = textIn(record);
  const sent = "sent" in record ? record.sent : undefined;
  if (text === undefined || isAnswerInput(sent)) return undefined;
  const attachments = "attachments" in record ? (record.attachments ?? []) : [];
  return { id: userMessageId(sent, record.seq), text, attachments };
}

function textIn(record: JournalRecord): string | undefined {
  if (record.type === "input" || record.type === "steer" || record.type === "approval") return record.text;
  if (record.type !== "answer") return undefined;
  const { value } = record;
  if (typeof value === "string") return value;
  const reason = isPlainObject(value) && value["allowed"] === false ? value["reason"] : undefined;
  return typeof reason === "string" && reason.startsWith(noInWords) ? reason.slice(noInWords.length) : undefined;
}

/** The ids of the messages of the assistant, in order. */
export function replyIds(records: readonly JournalRecord[]): readonly string[] {
  const ids: string[] = [];
  const ofClient = new ClientCalls();
  for (const record of records) {
    ofClient.take(record);
    const words = wordsIn(record, ofClient);
    if (words !== undefined && (words.text !== "" || ids.length === 0)) ids.push(replyMessageId(words.id));
  }
  return ids;
}
