// Turns: what a request of a page is to its session, as the journal has it.

import { LastcallError, type ApprovalAnswer, type Input, type JournalRecord } from "../../core/index.js";
import { isPlainObject, lastEnd, waitingIn, takes } from "../../core/internal.js";
import type { Delivery } from "../../host/index.js";
import { isClientCall, resultWords } from "../hub/page-tools.js";
import { answerInputId, askingRecord, digestIn, lastAsking, type AskingRecord } from "./chat-ids.js";
import type { ChatAnswer, ChatNews } from "./chat-request.js";

/** The number of the record that ended the last run; undefined if there is no run, or if it goes on. */
export function endIn(records: readonly JournalRecord[]): number | undefined {
  return lastEnd(records)?.seq;
}

/** The number of the record that took an answer of any client to what was asked; undefined if none did. */
function takenAt(records: readonly JournalRecord[], asked: AskingRecord): number | undefined {
  const answers = asked.type === "question" ? asked.id : asked.callId;
  return records.find((record) => record.seq > asked.seq && takes(record, { answers }))?.seq;
}

/** The words as an input. */
export function wordsInput({ id, text, attachments }: Extract<ChatNews, { readonly type: "words" }>): Delivery {
  return { input: text, inputId: id, attachments };
}

/**
 * The input that answers the call which waits now. Undefined if none waits, or if the page has no answer to it.
 * @throws LastcallError `configuration` for an answer of another form than the call waits for.
 */
export function nextAnswer(
  records: readonly JournalRecord[],
  answers: readonly ChatAnswer[],
  now: number,
): Delivery | undefined {
  const waiting = waitingIn(records, now);
  const asked = waiting === undefined ? undefined : askingRecord(records, waiting.id);
  const given = answers.findLast(({ callId }) => callId === asked?.callId);
  if (waiting === undefined || asked === undefined || given === undefined) return undefined;
  const isOfClient = asked.type === "question" && isClientCall(records, asked.callId);
  const input = isOfClient ? resultOf(given) : inputOf(asked, given);
  if (input === undefined) return undefined;
  // Several people say yes to one call, each in an answer of their own.
  const isForMany = waiting.approval?.quorum !== undefined;
  return { input, answers: waiting.id, ...(!isForMany && { inputId: answerInputId(asked.seq) }) };
}

/** The answers to calls that have asked and that nobody has answered. */
export function unanswered(records: readonly JournalRecord[], answers: readonly ChatAnswer[]): readonly ChatAnswer[] {
  return answers.filter(({ callId }) => {
    const asked = lastAsking(records, callId);
    return asked !== undefined && takenAt(records, asked) === undefined;
  });
}

/**
 * The number of the record that took an answer to the last of these calls before; undefined if none did. A page sends the answers to
 * earlier calls as well, and has all that came after them.
 */
export function answeredBefore(records: readonly JournalRecord[], answers: readonly ChatAnswer[]): number | undefined {
  const asked = answers.flatMap(({ callId }) => lastAsking(records, callId) ?? []);
  const [last] = asked.toSorted((one, other) => other.seq - one.seq);
  return last && takenAt(records, last);
}

/** The result of a call that the page carried out, which may be any JSON. */
function resultOf({ output }: ChatAnswer): string {
  return resultWords(typeof output === "string" ? output : output === undefined ? "" : JSON.stringify(output));
}

function inputOf(asked: AskingRecord, { approval, output }: ChatAnswer): Input | undefined {
  const digest = asked.type === "parked" ? asked.digest : asked.type === "question" ? asked.approves : undefined;
  if (digest !== undefined) return approval === undefined ? undefined : answerOf(asked, approval);
  if (approval !== undefined) return undefined;
  if (typeof output === "string" && output !== "") return output;
  if (isPlainObject(output)) return output as Exclude<Input, string>;
  throw new LastcallError(
    "configuration",
    "The output of the call that waits is neither a text nor an object: give its answer to addToolOutput.",
  );
}

function answerOf(asked: AskingRecord, { id, allowed, reason }: NonNullable<ChatAnswer["approval"]>): ApprovalAnswer {
  const digest = digestIn(id, asked.seq);
  if (digest !== undefined) return { allowed, digest, ...(reason !== undefined && { reason }) };
  throw new LastcallError(
    "configuration",
    "The approval is about another call than the one that waits, or about an earlier state of it: load the messages of the chat again.",
  );
}
