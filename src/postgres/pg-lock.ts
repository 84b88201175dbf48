// The right to write one log in Postgres. Each write is one statement that also checks the right.

import type { Holder, Lock } from "../memory/index.js";
import { checkLine, lostLock, LockJudge, notTakenBack, queue, storeFault } from "../memory/stores.js";
import type { LastcallError } from "../core/index.js";
import type { Notices } from "./change-notices.js";
import { stateAfter } from "./run-state.js";
import type { Statements } from "./statements.js";

/** The things that locks need. */
export interface LockPlace {
  readonly statements: Statements;
  readonly notices: Notices;
  /** Milliseconds that are added to the clock of the database. */
  readonly ahead: () => number;
}

/** The clock of the database, so that no clock of a worker matters. The number of the parameter has the milliseconds that are added. */
const clock = (parameter: number): string =>
  `clock_timestamp() + $${String(parameter)}::float8 * interval '1 millisecond'`;

/** The holder as a text; the same holder always gives the same text. */
function nameOf({ id, host, pid, birth }: Holder): string {
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
export function rowReader({ statements, ahead }: LockPlace): (id: string, doing: string) => Promise<HeldRow> {
  let now = 0;
  const judge = new LockJudge(() => now);
  return async (id, doing) => {
    const { rows } = await statements.run(
      doing,
      `SELECT holder, renewed::text AS renewed, extract(epoch FROM renewed) * 1000 AS at,
        extract(epoch FROM ${clock(2)}) * 1000 AS now FROM ${statements.schema}.sessions WHERE session = $1`,
      [id, ahead()],
    );
    const [row] = rows;
    if (typeof row?.["holder"] !== "string") return { holder: undefined, renewed: undefined, other: undefined };
    const holder = JSON.parse(row["holder"]) as Holder;
    now = Number(row["now"]);
    const counts = judge.counts(id, holder, Number(row["at"]));
    return { holder: row["holder"], renewed: String(row["renewed"]), other: counts ? holder : undefined };
  };
}

/** Takes the lock of a session, or returns its holder. */
export async function takeLock(
  place: LockPlace,
  { id, holder, look }: { readonly id: string; readonly holder: Holder; readonly look: ReturnType<typeof rowReader> },
): Promise<Lock | Holder> {
  const { statements, ahead } = place;
  const doing = `lock the session ${id} in`;
  const name = nameOf(holder);
  for (;;) {
    const seen = await look(id, doing);
    if (seen.other !== undefined && seen.holder !== name) return seen.other;
    // The row may have changed since it was read. A take whose answer was lost finds its own name.
    const { rows } = await statements.run(
      doing,
      `INSERT INTO ${statements.schema}.sessions AS held (session, holder, renewed) VALUES ($1, $2, ${clock(5)})
        ON CONFLICT (session) DO UPDATE SET holder = $2, renewed = ${clock(5)}
        WHERE held.holder IS NULL OR held.holder = $2 OR (held.holder = $3 AND held.renewed::text = $4)
        RETURNING lines`,
      [id, name, seen.holder ?? null, seen.renewed ?? null, ahead()],
    );
    const [row] = rows;
    if (row !== undefined) return lockOf(new HeldLog(place, { id, name, lines: Number(row["lines"]) }));
  }
}

/** The lock as plain functions, so that those who wrap it can spread it. */
function lockOf(log: HeldLog): Lock {
  return {
    append: (lines, flush) => log.append(lines, flush),
    cut: (lines) => log.cut(lines),
    renew: () => log.renew(),
    release: () => log.release(),
  };
}

/** A log whose lock was taken. */
class HeldLog {
  readonly #place: LockPlace;
  readonly #id: string;
  readonly #name: string;
  readonly #inOrder = queue();
  /** The number of lines that this holder left. */
  #lines: number;
  /** The last of them, which a crash of the server may take: they were not flushed. */
  #unflushed: readonly string[] = [];
  /** The failure after which it is not known what is stored. */
  #failure: unknown;

  constructor(
    place: LockPlace,
    { id, name, lines }: { readonly id: string; readonly name: string; readonly lines: number },
  ) {
    this.#place = place;
    this.#id = id;
    this.#name = name;
    this.#lines = lines;
  }

  async append(lines: readonly string[], flush: boolean): Promise<void> {
    lines.forEach(checkLine);
    await this.#inOrder(async () => {
      const { statements, notices } = this.#place;
      if (this.#failure !== undefined) throw notTakenBack(`${statements.where}, session ${this.#id},`, this.#failure);
      await this.#store(lines, flush).catch((thrown: unknown) => {
        this.#failure = thrown;
        throw thrown;
      });
      notices.tell(this.#id);
    });
  }

  /**
   * Stores the lines behind those of before. If the log is not what was left, either the answer of this append was lost, or a crash of the
   * server took lines that were not flushed: those are stored again.
   */
  async #store(lines: readonly string[], flush: boolean): Promise<void> {
    const all = [...this.#unflushed, ...lines];
    const end = this.#lines + lines.length;
    const start = end - all.length;
    let from = this.#lines;
    for (let tries = 1; !(await this.#put(from, all.slice(from - start), flush)); tries += 1) {
      from = await this.#linesNow();
      if (from === end) break;
      if (from < start || from > end || tries === 5) throw this.#changed(from);
    }
    this.#lines = end;
    this.#unflushed = flush ? [] : all;
  }

  /** Appends the lines if the lock is held and the log has this number of lines. Returns false if not. */
  async #put(from: number, lines: readonly string[], flush: boolean): Promise<boolean> {
    const { statements, ahead } = this.#place;
    const { schema } = statements;
    const { rows } = await statements.run(
      `append to the session ${this.#id} in`,
      `WITH head AS (
        UPDATE ${schema}.sessions SET lines = lines + $4, written = ${clock(8)}, state = coalesce($6, state),
          since = CASE WHEN $6::text IS NULL THEN since ELSE ${clock(8)} END
        WHERE session = $1 AND holder = $2 AND lines = $3
        RETURNING set_config('synchronous_commit', CASE WHEN $7 THEN current_setting('synchronous_commit') ELSE 'off' END, true)
      ), put AS (
        INSERT INTO ${schema}.lines (session, number, line)
        SELECT $1, $3 + number - 1, line FROM unnest($5::text[]) WITH ORDINALITY AS given (line, number)
        WHERE EXISTS (SELECT 1 FROM head)
      )
      SELECT count(*) AS done FROM head`,
      [this.#id, this.#name, from, lines.length, lines, stateAfter(lines) ?? null, flush, ahead()],
    );
    return Number(rows[0]?.["done"]) > 0;
  }

  /** The number of lines that the log has. @throws LastcallError `store` if the lock was lost. */
  async #linesNow(): Promise<number> {
    const { statements } = this.#place;
    const statement = `SELECT holder, lines FROM ${statements.schema}.sessions WHERE session = $1`;
    const [row] = (await statements.run(`look at the session ${this.#id} in`, statement, [this.#id])).rows;
    if (row?.["holder"] !== this.#name) throw lostLock(this.#id);
    return Number(row["lines"]);
  }

  #changed(lines: number): LastcallError {
    const is = `it has ${String(lines)} lines, and had ${String(this.#lines)}`;
    const why = new Error(`another program has changed its log: ${is}. Look who writes there`);
    return storeFault(`append to the session ${this.#id} in`, this.#place.statements.where, why);
  }

  async cut(lines: number): Promise<void> {
    await this.#inOrder(async () => {
      const { statements, notices } = this.#place;
      const { schema } = statements;
      const { rows } = await statements.run(
        `cut the session ${this.#id} in`,
        `WITH head AS (
          UPDATE ${schema}.sessions SET lines = least(lines, $3) WHERE session = $1 AND holder = $2 RETURNING 1
        ), gone AS (
          DELETE FROM ${schema}.lines WHERE session = $1 AND number >= $3 AND EXISTS (SELECT 1 FROM head)
        )
        SELECT count(*) AS done FROM head`,
        [this.#id, this.#name, lines],
      );
      if (Number(rows[0]?.["done"]) === 0) throw lostLock(this.#id);
      this.#unflushed = this.#unflushed.slice(
        0,
        Math.max(0, this.#unflushed.length - Math.max(0, this.#lines - lines)),
      );
      this.#lines = Math.min(this.#lines, lines);
      notices.tell(this.#id);
    });
  }

  async renew(): Promise<boolean> {
    const { statements, ahead } = this.#place;
    const { rowCount } = await statements.run(
      `renew the lock of the session ${this.#id} in`,
      `UPDATE ${statements.schema}.sessions SET renewed = ${clock(3)} WHERE session = $1 AND holder = $2`,
      [this.#id, this.#name, ahead()],
    );
    return rowCount === 1;
  }

  async release(): Promise<void> {
    const { statements } = this.#place;
    const sessions = `${statements.schema}.sessions`;
    // A session that has no line was only locked: nothing of it stays.
    const statement =
      this.#lines === 0
        ? `DELETE FROM ${sessions} WHERE session = $1 AND holder = $2 AND lines = 0`
        : `UPDATE ${sessions} SET holder = NULL, renewed = NULL WHERE session = $1 AND holder = $2`;
    await statements.run(`release the session ${this.#id} in`, statement, [this.#id, this.#name]);
    this.#place.notices.tell(this.#id);
  }
}
