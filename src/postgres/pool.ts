// The part of the package `pg` that is used here, as types of our own: the caller brings the pool.

import { LastcallError } from "../core/index.js";
import { expectKind, objectWith, type ValueKind } from "../core/internal.js";

/** The result of a statement. */
export interface PgResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly rowCount: number | null;
}

/** A connection that was taken from a pool. */
export interface PgClient {
  query(statement: string, values?: unknown[]): Promise<PgResult>;
  on(event: "notification", listener: (message: PgNotification) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  removeAllListeners(event: string): unknown;
  /** Gives the connection back to its pool. With `true` it is closed. */
  release(destroy?: boolean): void;
}

/** A message to the listeners of a channel. */
export interface PgNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A pool as a kind of value: a text or a client is none. */
const poolKind: ValueKind = objectWith(
  'a pool, for example new pg.Pool({ connectionString: "postgres://..." })',
  ...["query", "connect", "on"],
);

/** A pool of connections: a `Pool` of the package `pg`, or another pool of this form. */
export interface PgPool {
  query(statement: string, values?: unknown[]): Promise<PgResult>;
  connect(): Promise<PgClient>;
  on(event: "error", listener: (error: Error) => void): unknown;
  /** `max` is the most connections. */
  readonly options?: { readonly max?: number | undefined } | undefined;
}

/**
 * Refuses whatever is no pool.
 * @param of the function that was given the pool.
 * @throws LastcallError `configuration` for no pool, and for a pool of pg 7: on Node 14 and later its connections never open.
 */
export function expectPool(of: string, pool: PgPool): void {
  expectKind(`The pool of ${of}`, pool, poolKind);
  const { Client, options = {} } = pool as PgPool & { readonly Client?: unknown };
  if (typeof Client !== "function" || !("idleTimeoutMillis" in options) || "maxUses" in options) return;
  const message = `The pool of ${of} is of the package pg 7, whose connections never open on this Node. pg 8 or later is needed: npm install pg@8`;
  throw new LastcallError("configuration", message);
}

const heard = new WeakSet<PgPool>();

/** Keeps a broken idle connection from ending the process: an `error` that nobody hears is thrown. The pool has replaced the connection. */
export function hearErrors(pool: PgPool): void {
  if (heard.has(pool)) return;
  heard.add(pool);
  pool.on("error", () => undefined);
}

const taken = new WeakSet<PgClient>();

/**
 * Takes a connection. If it breaks while it runs no statement, it ends neither the process nor the caller: the next statement fails. The
 * pool hears the connections alone that nobody has.
 */
export async function takeConnection(pool: PgPool): Promise<PgClient> {
  const client = await pool.connect();
  if (!taken.has(client)) client.on("error", () => undefined);
  taken.add(client);
  return client;
}

/** Runs work in a transaction on one connection. A connection that breaks takes everything back, and is closed. */
export async function inTransaction<Made>(
  pool: PgPool,
  work: (client: Pick<PgPool, "query">) => Promise<Made>,
): Promise<Made> {
  const client = await takeConnection(pool);
  let isWhole = false;
  try {
    await client.query("BEGIN");
    const made = await work(client);
    await client.query("COMMIT");
    isWhole = true;
    return made;
  } finally {
    // Closing takes back whatever was not committed.
    client.release(!isWhole);
  }
}
