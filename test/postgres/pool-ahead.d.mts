import type { PgPool } from "../../src/postgres/pool.js";

/** The pool, with a clock of the database that is ahead by this number of milliseconds at each statement. */
export function poolAhead(pool: PgPool, ahead: () => number): PgPool;
