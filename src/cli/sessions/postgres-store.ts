// The sessions of the command in Postgres, over the package pg, which is loaded when an address is given.

import { LastcallError } from "../../core/index.js";
import { loadOptional } from "../../packages/index.js";
import type { DbosPool } from "../../dbos/index.js";
import { migrate, pgStore, type PgStore } from "../../postgres/index.js";

/** The part of the package that is used. */
interface PgPackage {
  readonly Pool: new (options: Readonly<Record<string, unknown>>) => DbosPool;
}

/** The pools of this process by their addresses. They keep no process from ending. */
const pools = new Map<string, Promise<DbosPool>>();

/**
 * Opens the store at an address such as `postgres://user@host/database`. The parameter `schema` names the schema of the tables.
 * @throws LastcallError `configuration` if it is no such address, or if the package pg is not installed.
 */
export async function postgresStore(address: string): Promise<PgStore> {
  const { pool, schema } = await openAddress(address);
  return pgStore(pool, { schema });
}

/** Makes the tables at an address. Returns a line for people. */
export async function migrateStore(address: string): Promise<string> {
  const { pool, schema } = await openAddress(address);
  const { from, to } = await migrate(pool, { schema });
  if (from === to) return `The tables are there, in version ${String(to)}.`;
  return from === 0
    ? "The tables are made."
    : `The tables are of version ${String(to)} now, and were of ${String(from)}.`;
}

/** The connections to a database, and the schema of the sessions. */
export interface Database {
  readonly pool: DbosPool;
  /** Undefined: the default. */
  readonly schema: string | undefined;
}

/**
 * Opens the database at an address.
 * @throws LastcallError `configuration` as `postgresStore` does.
 */
export async function openAddress(address: string): Promise<Database> {
  const url = URL.parse(address);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol))
    throw new LastcallError(
      "configuration",
      "--store takes an address such as postgres://user@host/database; LASTCALL_STORE may have it, so that a password stands in no command line.",
    );
  const schema = url.searchParams.get("schema") ?? undefined;
  url.searchParams.delete("schema");
  const known = pools.get(url.href) ?? openPool(url.href);
  pools.set(url.href, known);
  return { pool: await known, schema };
}

async function openPool(connectionString: string): Promise<DbosPool> {
  const { Pool } = await loadPackage();
  // A connection that is silent ends its statement, which is then tried again.
  return new Pool({
    connectionString,
    allowExitOnIdle: true,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
    application_name: "lastcall",
  });
}

async function loadPackage(): Promise<PgPackage> {
  const needed = { name: "pg", neededBy: "a store in Postgres", from: "8.11" };
  const loaded = await loadOptional(
    needed,
    async () => (await import("pg")) as unknown as PgPackage & { readonly default?: PgPackage },
  );
  return loaded.default ?? loaded;
}
