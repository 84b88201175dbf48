// The numbers that operators watch: sessions by state, and the ages of what waits.

import { stale, type SessionCounts } from "../memory/index.js";
import type { Statements } from "./statements.js";

/**
 * Counts in one statement. The statement finds waiting and open sessions by an index, and reads the row of each open session. It reads the
 * whole inbox to count the sessions with messages.
 */
export async function countsIn({ schema, run }: Statements): Promise<SessionCounts> {
  const { rows } = await run(
    "count the sessions in",
    `WITH clock AS (SELECT clock_timestamp() AS now), waiting AS (
      SELECT count(*) AS sessions, min(since) AS first FROM ${schema}.sessions WHERE state = 'waiting'
    ), open AS (
      SELECT count(*) AS sessions,
        count(*) FILTER (WHERE holder IS NOT NULL AND renewed > now - $1::float8 * interval '1 millisecond') AS held
      FROM ${schema}.sessions, clock WHERE state = 'open'
    )
    SELECT waiting.sessions AS waiting, open.held, open.sessions - open.held AS left_alone,
      (SELECT count(DISTINCT session) FROM ${schema}.inbox) AS with_messages,
      extract(epoch FROM now - waiting.first) * 1000 AS oldest_wait,
      extract(epoch FROM now - (SELECT min(sent) FROM ${schema}.inbox)) * 1000 AS oldest_message
    FROM waiting, open, clock`,
    [stale],
  );
  // A clock that was set back does not make an age negative.
  const of = (name: string): number => Math.max(0, Number(rows[0]?.[name] ?? 0));
  return {
    waiting: of("waiting"),
    held: of("held"),
    leftAlone: of("left_alone"),
    withMessages: of("with_messages"),
    oldestWait: of("oldest_wait"),
    oldestMessage: of("oldest_message"),
  };
}
