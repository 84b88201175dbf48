// The row that has a lock: the text of its holder, the clock of the database, and whether the lock counts.

import { LockJudge, type Holder } from "../lock/index.js";
import type { ChangeNotices } from "./change-notices.js";
import type { Statements } from "./statements.js";

/** The things that locks need. */
export interface LockPlace {
  readonly statements: Statements;
  readonly notices: ChangeNotices;
}

/** A table whose rows have locks, in the columns `holder` and `renewed`. */
export interface LockedRows {
  readonly table: string;
  /** The column by which a row is known. */
  readonly key: string;
  /** The value that is read of a taken row, as SQL. */
  readonly value: string;
}

/** The rows of sessions; a taken row has the number of lines. */
export const sessionRows: LockedRows = { table: "sessions", key: "session", value: "lines" };

/** The holder as a text; the same holder always gives the same text. */
export function nameOf({ id, host, pid, birth }: Holder): string {
  return JSON.stringify({ id, host, pid, birth });
}

/** A row with a lock, as the judge of locks sees it. */
export interface HeldRow {
  /** The holder's text; undefined if nobody has the lock. */
  readonly holder: string | undefined;
  /** The time of the last renewal as Postgres writes it: it has more digits than a number of milliseconds. */
  readonly renewed: string | undefined;
  /** The holder, if the lock still counts. */
  readonly other: Holder | undefined;
}

/** Reads who holds rows, and judges whether the lock counts, by the clock of the database. */
export function rowReader(
  { schema, run }: Statements,
  { table, key }: LockedRows,
): (id: string, doing: string) => Promise<HeldRow> {
  let now = 0;
  const judge = new LockJudge(() => now);
  return async (id, doing) => {
    const { rows } = await run(
      doing,
      `SELECT holder, renewed::text AS renewed, extract(epoch FROM renewed) * 1000 AS at,
        extract(epoch FROM clock_timestamp()) * 1000 AS now FROM ${schema}.${table} WHERE ${key} = $1`,
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

/** A row whose lock was taken: the value that was asked for, and the holder that it was taken from. */
export interface TakenRow {
  readonly value: unknown;
  readonly takenFrom: Holder | undefined;
}

/** A row to take, for whom, and the reader that judges who has it. */
export interface Taking {
  readonly id: string;
  readonly holder: Holder;
  readonly look: ReturnType<typeof rowReader>;
  readonly doing: string;
}

/** Takes the lock of a row, which is made if there is none, or returns its holder. */
export async function takeRow(
  { schema, run }: Statements,
  { table, key, value }: LockedRows,
  { id, holder, look, doing }: Taking,
): Promise<TakenRow | Holder> {
  const name = nameOf(holder);
  for (;;) {
    const seen = await look(id, doing);
    if (seen.other !== undefined && seen.holder !== name) return seen.other;
    // The row may have changed since it was read: then it is read again. A take whose answer was lost finds its own name.
    const { rows } = await run(
      doing,
      `INSERT INTO ${schema}.${table} AS row (${key}, holder, renewed) VALUES ($1, $2, clock_timestamp())
        ON CONFLICT (${key}) DO UPDATE SET holder = $2, renewed = clock_timestamp()
        WHERE row.holder = $2 OR (row.holder IS NULL AND $3::text IS NULL) OR (row.holder = $3 AND row.renewed::text = $4)
        RETURNING ${value} AS value`,
      [id, name, seen.holder ?? null, seen.renewed ?? null],
    );
    const [row] = rows;
    if (row === undefined) continue;
    const isOver = seen.holder !== undefined && seen.holder !== name;
    return { value: row["value"], takenFrom: isOver ? (JSON.parse(seen.holder) as Holder) : undefined };
  }
}
