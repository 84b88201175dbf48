// The pool of connections that the caller gives, as far as it is used.

import { LastcallError } from "../core/index.js";

/** A connection or a pool of them, as far as texts are sent over it. */
export interface DbosQueries {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
}

/** A connection that was taken out of a pool. */
export interface DbosConnection extends DbosQueries {
  release(): void;
}

/**
 * A pool of the package `pg`. It stays the caller's, who ends it after the host was closed. DBOS works over it too: allow 20 connections.
 */
export interface DbosPool extends DbosQueries {
  connect(): Promise<DbosConnection>;
  readonly options: { readonly connectionString?: string | undefined };
}

/**
 * The address of the database, which DBOS wants beside the pool.
 * @throws LastcallError `configuration` if there is none.
 */
export function urlOf(pool: DbosPool, given: string | undefined): string {
  const url = given ?? pool.options.connectionString;
  if (url !== undefined) return url;
  const message = "hostOnDbos needs the address of the database: make the pool with a connectionString, or give url.";
  throw new LastcallError("configuration", message);
}

/** Does work in one transaction. */
export async function inTransaction<Result>(
  pool: DbosPool,
  work: (connection: DbosQueries) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.connect();
  try {
    await connection.query("begin");
    const result = await work(connection);
    await connection.query("commit");
    return result;
  } catch (thrown) {
    // The first failure says more than that of the rollback.
    await connection.query("rollback").catch(() => undefined);
    throw thrown;
  } finally {
    connection.release();
  }
}
