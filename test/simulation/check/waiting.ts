// The call that a session waits for at the end.

import { outcomeOf, type JournalRecord } from "../../../src/core/index.js";

/** The id of the call for whose answer or approval a session waits; undefined if it waits for none. */
export function waitingIn(records: readonly JournalRecord[]): string | undefined {
  const outcome = outcomeOf({ version: 1, id: "it", records });
  return outcome?.status === "waiting" ? outcome.id : undefined;
}
