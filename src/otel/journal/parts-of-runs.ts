// The parts of runs in a journal: one process does each. Finds their beginnings, their keys and their ends.

import type { JournalRecord, Session, State } from "../../core/index.js";
import { runBoundaries, dueOf, subtractUsage, verificationOf, type Beginning } from "../../core/internal.js";
import type { RunEnding } from "../describe/describe-run.js";
import { runKeyOf } from "../data/ids.js";

/** A record of one type. */
export type Of<Type extends JournalRecord["type"]> = Extract<JournalRecord, { readonly type: Type }>;

/** True if the part that begins with this record has no outcome, because its process died. */
export function isTorn(records: readonly JournalRecord[], { seq }: Pick<JournalRecord, "seq">): boolean {
  let next = seq + 1;
  while (next < records.length && !runBoundaries.has(records[next]?.type ?? "outcome")) next += 1;
  return records[next]?.type !== "outcome";
}

/** The key of a new run. Calls have it in their ids, also in a fork under another name. */
export function keyOfRun({ id, records }: Session, record: Beginning): string {
  for (let next = record.seq + 1; next < records.length && records[next]?.type !== "input"; next += 1) {
    const later = records[next];
    const callId = later?.type === "reply" ? later.reply.calls[0]?.id : undefined;
    if (callId?.includes("/call:") === true) return runKeyOf(callId);
  }
  const { life, run } = record as Of<"input">;
  return [id, ...(life === undefined ? [] : [life]), String(run)].join("/");
}

/** The ending that an outcome record tells. Its amounts leave out the amounts that an earlier outcome of the run has told. */
export function endingIn(state: State, { status, reason: cause, message }: Of<"outcome">): RunEnding {
  const { claim, usage, spent, iteration, accounted } = state;
  const cost = spent.cost > 0 ? spent.cost - accounted.cost : undefined;
  const waits = status === "waiting" ? dueOf(state) : undefined;
  const isClaimed = waits === undefined && (status === "completed" || status === "waiting");
  const asked = waits?.type === "question" ? waits.value : undefined;
  return {
    status,
    usage: subtractUsage(usage, accounted.usage),
    iterations: iteration - accounted.iterations,
    cost,
    cause,
    message,
    by: isClaimed ? claim?.by : waits?.name,
    value: isClaimed ? claim?.value : asked,
    verified: status === "completed" && claim !== undefined ? verificationOf(claim.receipts) : undefined,
  };
}
