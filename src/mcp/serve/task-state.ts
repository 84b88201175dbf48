// Task state: the word of a session's journal about one task, which is the part of a session that one call of a caller began.

import { outcomeOf, type AnyOutcome, type JournalRecord, type ParkedCall, type WaitingCall } from "../../core/index.js";
import { isFinalEnd, runBoundaries, takes, waitingIn } from "../../core/internal.js";

/** One task, as its journal tells it. */
export interface Task {
  /** The time at which the session took the words of the call, in milliseconds since 1970. */
  readonly createdAt: number;
  /** The time of the last record of the task, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** The number of iterations that have ended. */
  readonly iterations: number;
  readonly state: TaskState;
}

/** The state of a task. */
export type TaskState =
  /** Its run has no end: a process is at work on it, or has died. */
  | { readonly is: "open" }
  /** Its run waits for an answer or an approval. */
  | { readonly is: "waiting"; readonly call: WaitingCall | ParkedCall }
  /** Its run has ended, or another call answered its question: the outcome is `waiting` then. */
  | { readonly is: "over"; readonly outcome: AnyOutcome }
  /** Its process died, and the session went on with other words. */
  | { readonly is: "left" }
  /** Nobody answered its question in time. */
  | { readonly is: "late" };

/**
 * The start of the ids of inputs that begin a task. The ids of other inputs begin otherwise, so that an answer from elsewhere is told
 * apart.
 */
export const taskMark = "task-";

/**
 * The task that the input with this id began; undefined if the session has taken no such input. The first end of its run is the end of the
 * task: a person may go on with the session, and the task stays as it is. A question ends no task. If another call answers it, the run is
 * the task of the other call from then on.
 * @param now The time in milliseconds since 1970.
 */
export function taskIn(
  { id, records }: { readonly id: string; readonly records: readonly JournalRecord[] },
  inputId: string,
  now: number,
): Task | undefined {
  const from = records.findIndex((record) => takes(record, { inputId }));
  const first = records[from];
  if (first === undefined) return undefined;
  const told = (last: JournalRecord, state: TaskState): Task => {
    const own = records.slice(from, last.seq + 1);
    const iterations = own.filter(({ type }) => type === "iteration").length;
    return { createdAt: first.at, updatedAt: last.at, iterations, state };
  };
  const boundaries = records.slice(from).filter(({ type }) => runBoundaries.has(type));
  for (const [index, end] of boundaries.entries()) {
    if (index > 0 && isNew(end)) return told(end, { is: "left" });
    if (end.type !== "outcome" || !isFinalEnd(end)) continue;
    const next = boundaries[index + 1];
    if (end.status === "waiting" && next !== undefined && goesOn(next, inputId)) continue;
    const upToEnd = records.slice(0, end.seq + 1);
    if (end.status === "waiting" && !isAnswered(next)) {
      const call = next === undefined ? waitingIn(upToEnd, now) : undefined;
      return told(end, call === undefined ? { is: "late" } : { is: "waiting", call });
    }
    const outcome = outcomeOf({ version: 1, id, records: upToEnd });
    if (outcome === undefined) throw new Error(`The record ${String(end.seq)} of the session ${id} ends no run.`);
    return told(end, { is: "over", outcome });
  }
  return told(records.at(-1) ?? first, { is: "open" });
}

/** True for new words. A run that goes on after a fault of the store may be a run without words. */
function isNew(record: JournalRecord): boolean {
  return record.type === "input" && record.answers === undefined && record.text !== "";
}

/** True if the record after a question is no words that came instead of an answer. */
function isAnswered(record: JournalRecord | undefined): boolean {
  return record !== undefined && (record.type !== "input" || record.answers !== undefined);
}

/** True if the record after a question goes on with the same task. */
function goesOn(record: JournalRecord, inputId: string): boolean {
  const sent = "sent" in record ? record.sent : undefined;
  const isOther = sent !== inputId && sent?.startsWith(taskMark) === true;
  return !isOther && isAnswered(record);
}
