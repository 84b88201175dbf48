// A server of Postgres for the tests of one file, and schemas with tables for single tests.

import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { migrate, pgStore, type PgStore } from "../../src/postgres/index.js";
import { startPostgres, type PostgresServer } from "./server.js";

export interface TestDatabase {
  readonly server: PostgresServer;
  /** Twenty connections. */
  readonly pool: pg.Pool;
  /** The name of a new schema with the tables. */
  schema(): Promise<string>;
  /** A store with tables of its own. */
  store(): Promise<PgStore>;
}

/** Starts a server before the tests of this suite, and stops it after them. Call it inside `describe`. */
export function useDatabase(settings: Readonly<Record<string, string>> = {}): TestDatabase {
  let server: PostgresServer | undefined;
  let pool: pg.Pool | undefined;
  let made = 0;
  beforeAll(async () => {
    server = await startPostgres(settings);
    pool = new pg.Pool({ connectionString: server.url, max: 20 });
    // A test that restarts the server breaks idle connections.
    pool.on("error", () => undefined);
  });
  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  });
  const there = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error("The server is there only while tests run.");
    return value;
  };
  const schema = async (): Promise<string> => {
    made += 1;
    const name = `case_${String(made)}`;
    await migrate(there(pool), { schema: name });
    return name;
  };
  return {
    get server() {
      return there(server);
    },
    get pool() {
      return there(pool);
    },
    schema,
    store: async () => pgStore(there(pool), { schema: await schema() }),
  };
}
