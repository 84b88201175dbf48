// Tries at one task: rounds one after another, or rivals side by side; their events and their end.

import { LastcallError, type AnyOutcome, type Event, type JsonObject } from "../../core/index.js";
import { openSession, type Store } from "../../memory/index.js";

/** One try that has ended: a round or a rival. */
export interface Tried {
  /** From 1. The session of the first try has the given id, and the session of try 2 has that id with `.2` behind it. */
  readonly number: number;
  /** The outcome of its own run. */
  readonly outcome: AnyOutcome;
  /** True if it completed, and for a rival also if its checks passed once more. */
  readonly isRight: boolean;
  /** The reason for which it is not right, in words for people; empty if it is right. */
  readonly why: string;
  /** The number that `by` gave to a rival. */
  readonly rating?: number;
  /** The lines that a rival has added and removed. */
  readonly lines?: number;
  /** The protected files of a rival that were put back as they had been, before its checks ran once more. */
  readonly putBack?: readonly string[];
}

/** The progress of tries. */
export type TryEvent =
  | { readonly type: "try-start"; readonly number: number; readonly session: string }
  /** An event of the try's own run. */
  | { readonly type: "try-event"; readonly number: number; readonly event: Event }
  | { readonly type: "try-end"; readonly tried: Tried };

/** The end of tries. A call with the same id goes on after any end but `completed`, as far as there is something to go on with. */
export type TriesOutcome =
  /** The try with this number is right. The work folder has its changes. */
  | { readonly status: "completed"; readonly number: number; readonly tries: readonly Tried[] }
  /** No try is right, a limit is reached, or the changes of the best rival could not be brought in. */
  | { readonly status: "stopped"; readonly message: string; readonly tries: readonly Tried[] }
  /** The last round waits for an answer. Answer its session, and call again. */
  | { readonly status: "waiting"; readonly tries: readonly Tried[] }
  /** The signal aborted. */
  | { readonly status: "aborted"; readonly tries: readonly Tried[] }
  /** The run of a try failed, for a reason that no model can fix. */
  | { readonly status: "failed"; readonly fault: LastcallError; readonly tries: readonly Tried[] };

/** The id of the session of a try. */
export function sessionOf(id: string, number: number): string {
  return number === 1 ? id : `${id}.${String(number)}`;
}

/** The sessions of tries, and the data that the host keeps with each. */
interface SessionsOfTries {
  readonly store: Store;
  readonly id: string;
  readonly most: number;
  readonly about: JsonObject | undefined;
}

/**
 * The task, and the data to keep with each session. The task is kept in it, too: a process may be killed after it made the first session
 * and before the task is in it. Of rivals, any may be the first.
 * @throws LastcallError `configuration` if there is no input, and no session that has one.
 */
export async function taskFor(
  input: string | undefined,
  { store, id, most, about }: SessionsOfTries,
): Promise<{ readonly task: string; readonly keptWith: JsonObject }> {
  let kept: unknown = input;
  for (let number = 1; kept === undefined && number <= most; number += 1)
    kept = (await openSession({ store, id: sessionOf(id, number) }).about())?.["task"];
  if (typeof kept !== "string") throw new LastcallError("configuration", `${id} has no task: give an input.`);
  return { task: kept, keptWith: { ...about, task: kept } };
}
