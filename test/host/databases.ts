// Empty databases of one Postgres, which begins with the first of them.

import pg from "pg";
import { startPostgres, type PostgresServer } from "../postgres/server.js";

/** A Postgres with a database for each test. */
export class Databases {
  #server: Promise<PostgresServer> | undefined;
  #count = 0;

  /** The address of a new database. */
  async make(): Promise<string> {
    // No test here turns the power off.
    this.#server ??= startPostgres({ fsync: "off", max_connections: "600" });
    const { url } = await this.#server;
    const name = `hosts${String((this.#count += 1))}`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return url.replace(/postgres$/, name);
  }

  /** Stops the server as a crash does, and starts it again. */
  async restart(): Promise<void> {
    await (await this.#server)?.restart();
  }

  async stop(): Promise<void> {
    await (await this.#server)?.stop();
  }
}

/** The rows that a statement gives, over a connection of its own. */
export async function statement(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text, [...values]);
  await client.end();
  return rows as readonly unknown[];
}
