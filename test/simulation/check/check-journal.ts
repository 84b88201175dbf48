// The journal of a session at the end: it is one that the loop can have written, its run has ended, and its followers have seen it all.

import { outcomeOf } from "../../../src/core/index.js";
import { assertWellFormed } from "../../../src/testing/index.js";
import { tools } from "../agent/agents.js";
import type { EndedSession } from "./check-world.js";

/** @throws Error that says what does not hold. */
export function checkJournal({ id, records, seen }: EndedSession): void {
  if (seen !== records.length)
    throw new Error(`its followers have seen ${String(seen)} of ${String(records.length)} records`);
  if (records.length === 0) return;
  assertWellFormed(records, { tools });
  if (outcomeOf({ version: 1, id, records }) === undefined) throw new Error("its last run has not ended");
}
