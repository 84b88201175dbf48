// The caller's pool of connections, and the address of its database.

import { LastcallError } from "../core/index.js";
import type { PgPool } from "../postgres/index.js";

/**
 * A pool of the package `pg`. The caller ends the pool after the host is closed. The store and DBOS share it: set `max` to 20 or more.
 */
export interface DbosPool extends PgPool {
  readonly options: { readonly connectionString?: string | undefined; readonly max?: number | undefined };
}

/**
 * The address of the database: DBOS needs it in addition to the pool.
 * @throws LastcallError `configuration` if there is none.
 */
export function urlOf(pool: DbosPool, given: string | undefined): string {
  const url = given ?? pool.options.connectionString;
  if (url !== undefined) return url;
  const message =
    "hostOnDbos needs the address of the database: make the pool with a connectionString, or give the option url.";
  throw new LastcallError("configuration", message);
}
