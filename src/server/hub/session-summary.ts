// Summaries: the part of a session that a list shows.

import { addUsage, noUsage, type JournalRecord, type JsonObject, type Usage } from "../../core/index.js";
import { explain, lastEnd, headOf, waitingIn } from "../../core/internal.js";
import { openSession, type Store, type StoredSession, type WaitingCall } from "../../memory/index.js";
import type { ParkedCall } from "../../core/index.js";
import { withoutPlaces } from "./without-places.js";

/** The part of a session that a list shows. */
export interface SessionSummary {
  readonly id: string;
  /** The time of its last record, in milliseconds since 1970. */
  readonly updated: number;
  /** The data of the host: the name of the agent is in `agent`. */
  readonly about: JsonObject | undefined;
  /** The end of its last run; `open` if it has none; `damaged` if the session can't be read. */
  readonly status: "open" | "completed" | "waiting" | "stopped" | "aborted" | "failed" | "damaged";
  /** Says what is wrong with a damaged session. Absent otherwise. */
  readonly problem?: string;
  /** The first words of the session, shortened. */
  readonly title: string;
  /** The call that waits for an answer or an approval. Absent if none does. */
  readonly waiting?: WaitingCall | ParkedCall;
  readonly runs: number;
  readonly iterations: number;
  readonly usage: Usage;
  /** The cost in the currency of the prices that its runs had; 0 without prices. */
  readonly cost: number;
}

/** Characters of a title. */
const longestTitle = 200;
/** The summaries that were made last, by store and session. A session that was not used since has the same summary. */
const made = new WeakMap<Store, Map<string, SessionSummary>>();
const mostMade = 1000;

/** The summary of a session. It is made once for each time of the last record, unless it waits: then its time may be over. */
export async function summaryOf(store: Store, { id, updated }: StoredSession): Promise<SessionSummary> {
  const known = made.get(store)?.get(id);
  if (known?.updated === updated && known.waiting === undefined && known.status !== "open") return known;
  const summary = await summarize(store, { id, updated });
  const kept = made.get(store) ?? new Map<string, SessionSummary>();
  made.set(store, kept.set(id, summary));
  const [oldest] = kept.keys();
  if (kept.size > mostMade && oldest !== undefined) kept.delete(oldest);
  return summary;
}

async function summarize(store: Store, { id, updated }: StoredSession): Promise<SessionSummary> {
  try {
    const session = openSession({ store, id });
    const [about, { records }] = await Promise.all([session.about(), session.toJSON()]);
    return { id, updated, about, ...summaryIn(id, records) };
  } catch (thrown) {
    // A list has to show the other sessions.
    const problem = withoutPlaces(explain(thrown), store);
    return { id, updated, about: undefined, ...summaryIn(id, []), status: "damaged", problem };
  }
}

/** The summary that records tell. */
export function summaryIn(
  id: string,
  records: readonly JournalRecord[],
): Omit<SessionSummary, "id" | "updated" | "about"> {
  const replies = records.flatMap((record) => (record.type === "reply" ? [record] : []));
  const waiting = waitingIn(records, Date.now());
  const first = records.find(({ type }) => type === "input");
  return {
    status: lastEnd(records)?.status ?? "open",
    title: first?.type === "input" ? headOf(first.text, longestTitle) : "",
    ...(waiting !== undefined && { waiting }),
    runs: records.filter(({ type }) => type === "input").length,
    iterations: replies.length,
    usage: replies.reduce((sum, { reply }) => addUsage(sum, reply.usage), noUsage),
    cost: records.reduce((sum, record) => sum + ("spent" in record ? record.spent.cost : 0), 0),
  };
}
