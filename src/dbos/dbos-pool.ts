// The pool of connections that the caller gives, and the address that it has.

import { LastcallError } from "../core/index.js";
import type { PgPool } from "../postgres/index.js";

/**
 * A pool of the package `pg`. It stays the caller's, who ends it after the host was closed. DBOS works over it too: allow 20 connections.
 */
export interface DbosPool extends PgPool {
  readonly options: { readonly connectionString?: string | undefined; readonly max?: number | undefined };
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
