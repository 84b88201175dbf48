// The store in Postgres, for sessions that many machines share.

/// <reference lib="esnext.disposable" preserve="true" />

import type { AttachmentStore } from "../core/index.js";
import { checkOptions, type OptionKinds, type RunState } from "../core/internal.js";
import type { SessionCounts, Store } from "../memory/index.js";
import { changesHeard, checkDigest, checkId, queues, stillWritten } from "../memory/stores.js";
import { ChangeNotices } from "./change-notices.js";
import { channelsOver } from "./channels.js";
import { LiveNotices } from "./live-notices.js";
import { rowReader, sessionRows } from "./lock-row.js";
import { takeLock } from "./pg-lock.js";
import { countsIn } from "./session-counts.js";
import { expectPool, hearErrors, type PgPool } from "./pool.js";
import { checkSchema } from "./tables.js";
import { statementsOver, type Statements } from "./statements.js";
import { storedLimits, type StoredLimitOptions, type StoredLimits } from "./stored-limits.js";
import { storedVault, type StoredVaultOptions } from "./stored-vault.js";
import type { Vault } from "../vault/index.js";

/** The options of `pgStore`. */
export interface PgStoreOptions {
  /** The schema of the tables. Default `lastcall`. */
  readonly schema?: string | undefined;
}

/** A session in a state, and the time since when it is. */
export interface SessionInState {
  readonly id: string;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly since: number;
}

/** The options of `sessionsIn`. */
export interface SessionsInOptions {
  /** The most sessions that are returned. Default 100. */
  readonly limit?: number | undefined;
}

/** A store in Postgres. */
export interface PgStore extends Store, AsyncDisposable {
  counts(): Promise<SessionCounts>;
  /** The sessions in this state, the longest in it first: the sessions that wait for a person, or the sessions whose run is open. */
  sessionsIn(state: SessionState, options?: SessionsInOptions): Promise<readonly SessionInState[]>;
  /**
   * Makes limits that runs of all machines share, for example of 5 for each person and day:
   * `store.limits({ name: "people", maxCost: 5, per: "principal", every: "day" })` as the `budget` of a run or a host. The amount of a
   * request is set aside before it is sent, and settled when it was answered.
   * @throws LastcallError `configuration` for a limit that is no number above 0, or if there is no limit or no name.
   */
  limits(options: StoredLimitOptions): StoredLimits;
  /**
   * Makes a vault for the tokens of sign-ins, which all machines share: `signIns({ vault: store.vault({ key }), redirect })`. Changes of
   * one key come one after the other, and no connection is kept while a change waits for an authorization server.
   * @throws LastcallError `configuration` for a key that is not 32 bytes. Its methods throw `store` if the database refuses, and
   * `configuration` if a text was written with another key, or with none.
   */
  vault(options?: StoredVaultOptions): Vault;
}

/**
 * The state of a session. `open`: somebody has to go on with its last run, which has no end, or which the store broke off. `waiting`: it
 * waits for an answer or an approval. Any other state is the status with which its last run has ended.
 */
export type SessionState = RunState;

const storeOptions = { schema: "text" } satisfies OptionKinds<PgStoreOptions>;
const sessionsInOptions = { limit: "number" } satisfies OptionKinds<SessionsInOptions>;

/** Milliseconds between two looks at a log that is followed. A notice may be lost with its connection. */
const look = 2000;

/**
 * Stores sessions in Postgres 14 or later, so that any process of any machine can go on with them. The pool is one of the package `pg`,
 * and stays the caller's. The tables are made by `migrate`.
 *
 * An append and the check of its lock are one statement. Locks are judged by the clock of the database. A statement whose connection
 * breaks is tried again for ten seconds; each statement can be carried out twice, and an append finds out whether it was.
 * `synchronous_commit` is left as it is for what must survive a loss of power, and off for the rest. While sessions are followed, the
 * stores over a pool keep one of its connections for notices, unless the pool has two or fewer: then followers look every two seconds.
 * Disposing of the stores gives it back.
 * @throws LastcallError `configuration` for a name that can't be a schema.
 */
export function pgStore(pool: PgPool, options: PgStoreOptions = {}): PgStore {
  expectPool("pgStore", pool);
  checkOptions("pgStore", options, storeOptions);
  const schema = checkSchema(options.schema);
  hearErrors(pool);
  const statements = statementsOver(pool, schema);
  const channels = channelsOver(pool);
  const notices = new ChangeNotices(channels, schema);
  const live = new LiveNotices(channels, schema);
  const place = { statements, notices };
  const lookAt = rowReader(statements, sessionRows);
  return {
    name: `Postgres (schema ${schema})`,
    ...logs(statements),
    ...inboxes(statements),
    live,
    counts: () => countsIn(statements),
    changes: (id, signal) => changesHeard((ring) => notices.listen(checkId(id), ring), signal, look),
    attachments: (id) => attachmentsOf(statements, checkId(id)),
    async lock(id, holder) {
      return takeLock(place, { id: checkId(id), holder, look: lookAt });
    },
    async delete(id) {
      const doing = `delete the session ${checkId(id)} from`;
      const { holder, other } = await lookAt(id, doing);
      if (other !== undefined || !(await deleteAll(statements, { id, holder, doing }))) throw stillWritten(id);
      notices.tell(id);
    },
    limits: (limitOptions) => storedLimits(statements, limitOptions),
    vault: (vaultOptions) => storedVault(statements, vaultOptions),
    async [Symbol.asyncDispose]() {
      notices.close();
      live.close();
    },
  };
}

/** Deletes everything of a session, unless its lock was taken since it was looked at. Returns whether it did. */
async function deleteAll(
  { schema, run }: Statements,
  { id, holder, doing }: { readonly id: string; readonly holder: string | undefined; readonly doing: string },
): Promise<boolean> {
  const { rows } = await run(
    doing,
    `WITH held AS (
      SELECT holder IS DISTINCT FROM $2 AS is_new FROM ${schema}.sessions WHERE session = $1 FOR UPDATE
    ), may AS (
      SELECT NOT EXISTS (SELECT 1 FROM held WHERE is_new) AS it
    ), lines AS (DELETE FROM ${schema}.lines WHERE session = $1 AND (SELECT it FROM may)),
    inbox AS (DELETE FROM ${schema}.inbox WHERE session = $1 AND (SELECT it FROM may)),
    attachments AS (DELETE FROM ${schema}.attachments WHERE session = $1 AND (SELECT it FROM may)),
    sessions AS (DELETE FROM ${schema}.sessions WHERE session = $1 AND (SELECT it FROM may))
    SELECT it FROM may`,
    [id, holder ?? null],
  );
  return rows[0]?.["it"] === true;
}

function logs({ schema, run }: Statements): Pick<PgStore, "list" | "unfinished" | "read" | "sessionsIn"> {
  return {
    async list({ most } = {}) {
      const columns = `session, extract(epoch FROM written) * 1000 AS updated FROM ${schema}.sessions`;
      // A session whose run has ended was used last when it ended, and sessions whose run is open are few.
      const last = `(SELECT ${columns} WHERE lines > 0 AND since IS NOT NULL ORDER BY since DESC LIMIT $1)
        UNION SELECT ${columns} WHERE lines > 0 AND state = 'open' UNION SELECT ${columns} WHERE lines > 0 AND state IS NULL
        ORDER BY updated DESC LIMIT $1`;
      const doing = "list the sessions in";
      const { rows } = await (most === undefined
        ? run(doing, `SELECT ${columns} WHERE lines > 0`)
        : run(doing, last, [Math.min(most, Number.MAX_SAFE_INTEGER)]));
      return rows.map(({ session, updated }) => ({ id: String(session), updated: Number(updated) }));
    },
    async unfinished() {
      const { rows } = await run(
        "look for sessions in",
        // Workers of before the third version of the tables went on after an approval without a word in the row, which was written then.
        `SELECT session FROM ${schema}.sessions WHERE state = 'open' UNION SELECT session FROM ${schema}.inbox
          UNION SELECT session FROM ${schema}.sessions WHERE state = 'waiting' AND written > since + interval '10 ms'`,
      );
      return rows.map(({ session }) => String(session));
    },
    async read(id, from = 0) {
      const { rows } = await run(
        `read the session ${checkId(id)} in`,
        `SELECT line FROM ${schema}.sessions AS held
          LEFT JOIN ${schema}.lines AS kept ON kept.session = held.session AND kept.number >= $2
          WHERE held.session = $1 AND held.lines > 0 ORDER BY kept.number`,
        [id, from],
      );
      if (rows.length === 0) return undefined;
      return rows.flatMap(({ line }) => (typeof line === "string" ? [line] : []));
    },
    async sessionsIn(state, options = {}) {
      checkOptions("sessionsIn", options, sessionsInOptions);
      const { rows } = await run(
        "look for sessions in",
        `SELECT session, extract(epoch FROM since) * 1000 AS since FROM ${schema}.sessions WHERE state = $1
          ORDER BY sessions.since LIMIT $2`,
        [state, options.limit ?? 100],
      );
      return rows.map(({ session, since }) => ({ id: String(session), since: Number(since) }));
    },
  };
}

/** Texts are stored as JSON, because Postgres takes no NUL and no half of a character. */
function inboxes({ schema, run }: Statements): Pick<Store, "send" | "messages" | "drop"> {
  const inOrder = queues();
  return {
    async send(id, message) {
      const doing = `send a message to the session ${checkId(id)} in`;
      const statement = `INSERT INTO ${schema}.inbox (session, id, text) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;
      // Two statements at once are on two connections, and either may be first.
      await inOrder(id, async () =>
        run(doing, statement, [id, JSON.stringify(message.id), JSON.stringify(message.text)]),
      );
    },
    async messages(id) {
      const { rows } = await run(
        `read the messages of the session ${checkId(id)} in`,
        `SELECT id, text FROM ${schema}.inbox WHERE session = $1 ORDER BY number`,
        [id],
      );
      return rows.map((row) => ({ id: textIn(row["id"]), text: textIn(row["text"]) }));
    },
    async drop(id, messages) {
      await run(
        `drop messages of the session ${checkId(id)} in`,
        `DELETE FROM ${schema}.inbox WHERE session = $1 AND id = ANY($2::text[])`,
        [id, messages.map((message) => JSON.stringify(message))],
      );
    },
  };
}

function attachmentsOf({ schema, run }: Statements, id: string): AttachmentStore {
  const table = `${schema}.attachments`;
  return {
    async write(digest, bytes) {
      await run(
        `keep an attachment of the session ${id} in`,
        `INSERT INTO ${table} (session, digest, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
        [id, checkDigest(digest), Buffer.from(bytes)],
      );
    },
    async read(digest) {
      const { rows } = await run(
        `read an attachment of the session ${id} in`,
        `SELECT bytes FROM ${table} WHERE session = $1 AND digest = $2`,
        [id, checkDigest(digest)],
      );
      return rows[0]?.["bytes"] as Uint8Array | undefined;
    },
    async remove(digest) {
      await run(
        `remove an attachment of the session ${id} from`,
        `DELETE FROM ${table} WHERE session = $1 AND digest = $2`,
        [id, checkDigest(digest)],
      );
    },
  };
}

function textIn(value: unknown): string {
  return JSON.parse(String(value)) as string;
}
