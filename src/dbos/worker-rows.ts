// Signs of life of the processes that work on a queue: one row each, so that the runs of a dead process are given to
// other processes.

import { systemRuntime } from "../core/index.js";
import { attemptName, type Work } from "../host/host-parts.js";
import { inTransaction, takeConnection, type PgPool } from "../postgres/pool.js";
import type { DbosPool } from "./dbos-pool.js";

/** Names a lock of Postgres that is held while tables are made: two processes that make the same table at once fail. */
const migration = "hashtext('lastcall.dbos')";

const tables = `
create table if not exists lastcall_dbos_workers (queue text, id text, seen timestamptz not null, primary key (queue, id));
create table if not exists lastcall_dbos_stops (queue text, session text, reason text not null, primary key (queue, session));`;

/** Milliseconds between two attempts to take the lock. */
const migrationPause = 100;

/**
 * Makes the tables of this host and of DBOS, one process after the other. The lock is tried and not waited for: DBOS makes indexes
 * concurrently, which waits for every statement in progress, and so for a statement that waits for the lock.
 */
export async function migrate(pool: DbosPool, migrateDbos: () => Promise<void>): Promise<void> {
  const connection = await takeConnection(pool);
  try {
    while (!(await takesLock(connection))) await systemRuntime.sleep(migrationPause, new AbortController().signal);
    try {
      await migrateDbos();
      await connection.query(tables);
    } finally {
      await connection.query(`select pg_advisory_unlock(${migration})`);
    }
  } finally {
    connection.release();
  }
}

async function takesLock(connection: Pick<PgPool, "query">): Promise<boolean> {
  const { rows } = await connection.query(`select pg_try_advisory_lock(${migration}) as taken`);
  return (rows as readonly { readonly taken: boolean }[])[0]?.taken === true;
}

/** The rows of one queue. */
export class WorkerRows {
  readonly #pool: DbosPool;
  readonly #queue: string;

  constructor(pool: DbosPool, queue: string) {
    this.#pool = pool;
    this.#queue = queue;
  }

  /** Tells that a process lives. */
  async beat(id: string): Promise<void> {
    const text =
      "insert into lastcall_dbos_workers values ($1, $2, now()) on conflict (queue, id) do update set seen = now()";
    await this.#pool.query(text, [this.#queue, id]);
  }

  /**
   * Takes the rows of processes that told nothing for so many milliseconds, and gives their ids to `take`. They are taken for good if it
   * ends well, by one process alone: other processes pass them over. If this process dies meanwhile, they are taken by another. Nobody
   * waits for such a row: `take` needs connections, and the waiting processes would have all connections.
   */
  async bury(silent: number, take: (ids: readonly string[]) => Promise<void>): Promise<void> {
    await inTransaction(this.#pool, async (connection) => {
      const text = `delete from lastcall_dbos_workers where (queue, id) in (select queue, id from lastcall_dbos_workers
        where queue = $1 and seen < now() - $2 * interval '1 ms' for update skip locked) returning id`;
      const { rows } = await connection.query(text, [this.#queue, silent]);
      if (rows.length > 0) await take(idsIn(rows));
    });
  }

  /** The ids of all rows. */
  async ids(): Promise<readonly string[]> {
    const { rows } = await this.#pool.query("select id from lastcall_dbos_workers where queue = $1", [this.#queue]);
    return idsIn(rows);
  }

  async remove(id: string): Promise<void> {
    await this.#pool.query("delete from lastcall_dbos_workers where queue = $1 and id = $2", [this.#queue, id]);
  }

  /**
   * True if DBOS was told to cancel the delivery, in any attempt. An attempt may have ended by another process that was quicker, and the
   * cancelled one be a later attempt. A process whose attempt was cancelled may have failed, and given the next attempt.
   */
  async isWithdrawn({ first, times }: Pick<Work, "first" | "times">): Promise<boolean> {
    let names = Array.from({ length: times + 1 }, (_, attempt) => attemptName(first, attempt));
    for (let attempt = times; ; attempt += 1, names = [attemptName(first, attempt)]) {
      const text = "select workflow_uuid as name, status from dbos.workflow_status where workflow_uuid = any($1)";
      const answer = await this.#pool.query(text, [names]);
      const rows = answer.rows as readonly { readonly name: string; readonly status: string }[];
      if (rows.some(({ status }) => status === "CANCELLED")) return true;
      if (rows.find(({ name }) => name === names.at(-1))?.status !== "SUCCESS") return false;
    }
  }

  /** Keeps the reason why a session is aborted, for the process that has it. */
  async keepReason(session: string, reason: string): Promise<void> {
    const text =
      "insert into lastcall_dbos_stops values ($1, $2, $3) on conflict (queue, session) do update set reason = $3";
    await this.#pool.query(text, [this.#queue, session, reason]);
  }

  async reasonOf(session: string): Promise<string | undefined> {
    const text = "select reason from lastcall_dbos_stops where queue = $1 and session = $2";
    const { rows } = await this.#pool.query(text, [this.#queue, session]);
    return (rows as readonly { readonly reason: string }[])[0]?.reason;
  }

  async dropReason(session: string): Promise<void> {
    await this.#pool.query("delete from lastcall_dbos_stops where queue = $1 and session = $2", [this.#queue, session]);
  }
}

function idsIn(rows: readonly unknown[]): readonly string[] {
  return (rows as readonly { readonly id: string }[]).map(({ id }) => id);
}
