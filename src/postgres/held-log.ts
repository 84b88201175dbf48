// A log in Postgres whose lock was taken. Each write is one statement that also checks the lock.

import type { JournalRecord, LastcallError } from "../core/index.js";
import { runBoundaries, runState, type RunState } from "../core/internal.js";
import { checkLine, lostLock, notTakenBack, queue, storeFault } from "../memory/stores.js";
import type { LockPlace } from "./lock-row.js";

/** The mark of a line that may begin or end a run. It may stand inside of another record, too. */
const boundary = new RegExp(`"type":"(?:${[...runBoundaries].join("|")})"`);

/** The state of the last run after these lines; undefined if they neither begin a run nor end one. */
export function stateAfter(lines: readonly string[]): RunState | undefined {
  return runState(lines.filter((line) => boundary.test(line)).flatMap(recordIn));
}

/** The record of a line; none for a line that is no record. */
function recordIn(line: string): readonly JournalRecord[] {
  try {
    return [JSON.parse(line) as JournalRecord];
  } catch {
    return [];
  }
}

/** A log whose lock was taken. */
export class HeldLog {
  readonly #place: LockPlace;
  readonly #id: string;
  readonly #name: string;
  readonly #inOrder = queue();
  /** The number of lines that this holder left. */
  #lines: number;
  /** The last lines, which a crash of the server may take: they were not flushed. */
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
      if (this.#failure !== undefined)
        throw notTakenBack(`the session ${this.#id} in ${statements.where}`, this.#failure);
      await this.#store(lines, flush).catch((thrown: unknown) => {
        this.#failure = thrown;
        throw thrown;
      });
      notices.tell(this.#id);
    });
  }

  /**
   * Stores the lines behind the earlier lines. If the log is not what was left, either the answer of this append was lost, or a crash of
   * the server took lines that were not flushed: such lines are stored again.
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
    const { statements } = this.#place;
    const { schema } = statements;
    const { rows } = await statements.run(
      `append to the session ${this.#id} in`,
      `WITH head AS (
        UPDATE ${schema}.sessions SET lines = lines + $4, written = clock_timestamp(), state = coalesce($6, state),
          since = CASE WHEN $6::text IS NULL THEN since ELSE clock_timestamp() END
        WHERE session = $1 AND holder = $2 AND lines = $3
        RETURNING set_config('synchronous_commit', CASE WHEN $7 THEN current_setting('synchronous_commit') ELSE 'off' END, true)
      ), put AS (
        INSERT INTO ${schema}.lines (session, number, line)
        SELECT $1, $3 + number - 1, line FROM unnest($5::text[]) WITH ORDINALITY AS given (line, number)
        WHERE EXISTS (SELECT 1 FROM head)
      )
      SELECT count(*) AS done FROM head`,
      [this.#id, this.#name, from, lines.length, lines, stateAfter(lines) ?? null, flush],
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
      const state = await this.#stateUpTo(lines);
      const { rows } = await statements.run(
        `cut the session ${this.#id} in`,
        `WITH head AS (
          UPDATE ${schema}.sessions SET lines = least(lines, $3), state = $4::text,
            since = CASE WHEN $4::text IS NULL THEN NULL WHEN $4::text IS DISTINCT FROM state THEN clock_timestamp() ELSE since END
          WHERE session = $1 AND holder = $2 RETURNING 1
        ), gone AS (
          DELETE FROM ${schema}.lines WHERE session = $1 AND number >= $3 AND EXISTS (SELECT 1 FROM head)
        )
        SELECT count(*) AS done FROM head`,
        [this.#id, this.#name, lines, state ?? null],
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

  /** The state of the last run in this number of lines. */
  async #stateUpTo(lines: number): Promise<RunState | undefined> {
    const { statements } = this.#place;
    const { rows } = await statements.run(
      `look at the session ${this.#id} in`,
      `SELECT line FROM ${statements.schema}.lines WHERE session = $1 AND number < $2 AND line ~ $3 ORDER BY number`,
      [this.#id, lines, boundary.source],
    );
    return stateAfter(rows.map(({ line }) => String(line)));
  }

  async renew(): Promise<boolean> {
    const { statements } = this.#place;
    const { rowCount } = await statements.run(
      `renew the lock of the session ${this.#id} in`,
      `UPDATE ${statements.schema}.sessions SET renewed = clock_timestamp() WHERE session = $1 AND holder = $2`,
      [this.#id, this.#name],
    );
    return rowCount === 1;
  }

  async release(): Promise<void> {
    const { statements } = this.#place;
    const sessions = `${statements.schema}.sessions`;
    // A session that has no line was only locked: its row is deleted.
    const statement =
      this.#lines === 0
        ? `DELETE FROM ${sessions} WHERE session = $1 AND holder = $2 AND lines = 0`
        : `UPDATE ${sessions} SET holder = NULL, renewed = NULL WHERE session = $1 AND holder = $2`;
    await statements.run(`release the session ${this.#id} in`, statement, [this.#id, this.#name]);
    this.#place.notices.tell(this.#id);
  }
}
