// Starts a run over AG-UI: the delivery that the words or the answer of a client are.

import { LastcallError, type JournalRecord } from "../../core/index.js";
import { waitingIn, takes } from "../../core/internal.js";
import type { Delivery } from "../../host/index.js";
import { isClientCall, resultWords } from "../hub/page-tools.js";
import type { AguiAnswer, AguiInput, AguiResult, AguiWords } from "./agui-input.js";
import { interruptIdOf } from "./interrupt-id.js";

/** The words with which a question is answered that its reader cancelled. */
const noAnswer = "The user does not answer this question.";
/** The reason of a refused call whose approval was cancelled. */
const noApproval = "the approval was cancelled";

type Waiting = NonNullable<ReturnType<typeof waitingIn>>;

/**
 * The deliveries, one after the other: the answer to an interrupt, the results of calls that the client carried out, new words. At least
 * one.
 * @throws LastcallError `configuration` as `startOf`.
 */
export function startsOf(input: AguiInput, records: readonly JournalRecord[], now: number): readonly Delivery[] {
  const { words, answer, results } = input;
  const given = results.flatMap((result) => resultFor(result, records));
  const pending = given.filter(({ answers }) => !isAnswered(records, answers));
  const hasNew = words?.isLast === true && !isTaken(records, words.id);
  const isLate = results.some(({ callId }) => isClientCall(records, callId));
  if (given.length === 0 && isLate && answer === undefined && !hasNew)
    throw wrong("The thread has gone on without this result: load its messages again.");
  if (pending.length === 0 && (given.length === 0 || answer !== undefined || hasNew))
    return [startOf(input, records, now)];
  const before = answer === undefined ? [] : [startOf({ words: undefined, answer }, records, now)];
  const after = hasNew ? [wordsFor(words, records, undefined)] : [];
  return [...before, ...(pending.length === 0 ? given : pending), ...after];
}

function isAnswered(records: readonly JournalRecord[], question: string | undefined): boolean {
  return records.some((record) => record.type === "answer" && record.answers === question);
}

/** The result of a call that waits for its client, or that has this result already. None for another call, and for a call that is over. */
function resultFor({ id: inputId, callId, text }: AguiResult, records: readonly JournalRecord[]): readonly Delivery[] {
  if (!isClientCall(records, callId)) return [];
  const answers = `${callId}/ask:0`;
  const isOver = records.some((record) => record.type === "result" && record.result.callId === callId);
  return isOver && !isAnswered(records, answers) ? [] : [{ input: resultWords(text), answers, inputId }];
}

/**
 * The delivery, which has no input if the session goes on without words. `records` are the session's records, and `now` is the time
 * in milliseconds since 1970.
 * @throws LastcallError `configuration` if the session can't take it. It says what to do.
 */
function startOf(
  { words, answer }: Pick<AguiInput, "words" | "answer">,
  records: readonly JournalRecord[],
  now: number,
): Delivery {
  if (answer === undefined) return wordsFor(words, records, waitingIn(records, now));
  const isGiven = records.some((record) => takes(record, { answers: answer.answers }));
  const isNew = words?.isLast === true && !isTaken(records, words.id);
  // A client keeps an interrupt that was answered if the run failed behind the answer, and can't say anything without it.
  const waiting = waitingIn(records, now);
  if (isGiven && isNew) return wordsFor(words, records, waiting);
  const digest = waiting?.id === answer.answers ? digestOf(waiting) : undefined;
  if (digest !== undefined && answer.digest === undefined)
    throw wrong(
      `The answer in resume is about an approval, and names no digest: give back the interruptId ${interruptIdOf(answer.answers, digest)}.`,
    );
  if (answer.input !== undefined) return { input: answer.input, answers: answer.answers };
  return cancelled(answer, isNew ? words : undefined, records, now);
}

/** New words. They answer a question that waits, and no approval: a call is refused by a person who saw it. */
function wordsFor(
  words: AguiWords | undefined,
  records: readonly JournalRecord[],
  waiting: Waiting | undefined,
): Delivery {
  if (words === undefined) throw wrong("There is no message of the user: send one.");
  const { id: inputId, text: input, attachments } = words;
  const digest = waiting && digestOf(waiting);
  if (waiting === undefined || digest === undefined || isTaken(records, inputId))
    return { input, inputId, attachments };
  const id = interruptIdOf(waiting.id, digest);
  throw wrong(`The thread waits for an approval of ${waiting.by}: answer it in resume, with the interruptId ${id}.`);
}

/** An interrupt that nobody answers: a call is refused, and a question gets words that say so, or the new words of the user. */
function cancelled(
  { answers, digest }: AguiAnswer,
  words: AguiWords | undefined,
  records: readonly JournalRecord[],
  now: number,
): Delivery {
  const isOver = waitingIn(records, now) === undefined && waitingIn(records, -Infinity)?.id === answers;
  if (isOver) return words === undefined ? {} : wordsFor(words, records, undefined);
  if (digest !== undefined) return { input: { allowed: false, reason: noApproval, digest }, answers };
  return words === undefined ? { input: noAnswer, answers } : { input: words.text, inputId: words.id, answers };
}

function digestOf(waiting: Waiting): string | undefined {
  return waiting.approval === undefined ? waiting.approves : waiting.approval.digest;
}

function isTaken(records: readonly JournalRecord[], inputId: string): boolean {
  return records.some((record) => takes(record, { inputId }));
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
