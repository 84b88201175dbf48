// The row that has the lock of a session: the text of its holder, the clock of the database, and whether the lock counts.

import { LockJudge, type Holder } from "../lock/index.js";
import type { ChangeNotices } from "./change-notices.js";
import type { Statements } from "./statements.js";

/** The things that locks need. */
export interface LockPlace {
  readonly statements: Statements;
  readonly notices: ChangeNotices;
}

/** The holder as a text; the same holder always gives the same text. */
export function nameOf({ id, host, pid, birth }: Holder): string {
  return JSON.stringify({ id, host, pid, birth });
}

/** The row of a session, as the judge of locks sees it. */
export interface HeldRow {
  /** The holder's text; undefined if nobody has the lock. */
  readonly holder: string | undefined;
  /** The time of the last renewal as Postgres writes it: it has more digits than a number of milliseconds. */
  readonly renewed: string | undefined;
  /** The holder, if the lock still counts. */
  readonly other: Holder | undefined;
}

/** Reads who holds sessions, and judges whether the lock counts, by the clock of the database. */
export function rowReader({
  statements,
}: Pick<LockPlace, "statements">): (id: string, doing: string) => Promise<HeldRow> {
  let now = 0;
  const judge = new LockJudge(() => now);
  return async (id, doing) => {
    const { rows } = await statements.run(
      doing,
      `SELECT holder, renewed::text AS renewed, extract(epoch FROM renewed) * 1000 AS at,
        extract(epoch FROM clock_timestamp()) * 1000 AS now FROM ${statements.schema}.sessions WHERE session = $1`,
      [id],
    );
    const [row] = rows;
    if (typeof row?.["holder"] !== "string") return { holder: undefined, renewed: undefined, other: undefined };
    const holder = JSON.parse(row["holder"]) as Holder;
    now = Number(row["now"]);
    const counts = judge.counts(id, holder, Number(row["at"]));
    return { holder: row["holder"], renewed: String(row["renewed"]), other: counts ? holder : undefined };
  };
}
