// The tables of the store, and the steps that make them from the tables of earlier versions.

import { LastcallError } from "../core/index.js";
import { checkOptions, type OptionKinds } from "../core/internal.js";
import { storeFault } from "../memory/stores.js";
import { persistently } from "./failure/lost-connection.js";
import { expectPool, hearErrors, inTransaction, type PgPool } from "./pool.js";

/** The options of `migrate`. */
export interface MigrateOptions {
  /** The schema of the tables. Default `lastcall`. */
  readonly schema?: string | undefined;
}

const migrateOptions = { schema: "text" } satisfies OptionKinds<MigrateOptions>;

/** The schema of the tables, unless an option names another. */
const defaultSchema = "lastcall";

/**
 * The steps, in order; the version of the tables is the number of steps that were done. A step that was released never changes. Each key
 * begins with the session, so that every table can be made anew as one of partitions (`PARTITION BY HASH (session)`).
 */
const steps: readonly ((schema: string) => string)[] = [
  (schema) => `
    CREATE TABLE ${schema}.sessions (
      session text COLLATE "C" PRIMARY KEY,
      lines bigint NOT NULL DEFAULT 0,
      written timestamptz,
      holder text,
      renewed timestamptz,
      state text,
      since timestamptz
    ) WITH (fillfactor = 70);
    CREATE INDEX sessions_waiting ON ${schema}.sessions (state, since) WHERE state IN ('open', 'waiting');
    CREATE TABLE ${schema}.lines (
      session text COLLATE "C" NOT NULL,
      number bigint NOT NULL,
      line text NOT NULL,
      PRIMARY KEY (session, number)
    );
    CREATE TABLE ${schema}.inbox (
      session text COLLATE "C" NOT NULL,
      number bigint GENERATED ALWAYS AS IDENTITY,
      id text COLLATE "C" NOT NULL,
      text text NOT NULL,
      PRIMARY KEY (session, id)
    );
    CREATE TABLE ${schema}.attachments (
      session text COLLATE "C" NOT NULL,
      digest text COLLATE "C" NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (session, digest)
    );
    CREATE TABLE ${schema}.budgets (
      name text COLLATE "C" PRIMARY KEY,
      iterations bigint NOT NULL DEFAULT 0,
      tokens bigint NOT NULL DEFAULT 0,
      cost float8 NOT NULL DEFAULT 0
    );
    CREATE TABLE ${schema}.reservations (
      id uuid PRIMARY KEY,
      budget text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      iterations bigint NOT NULL,
      tokens bigint NOT NULL,
      cost float8 NOT NULL,
      until timestamptz NOT NULL,
      UNIQUE (budget, key)
    );`,
  // Messages of before have no time. The index of times has no part in an append: `since` changes where a run begins or ends.
  (schema) => `
    ALTER TABLE ${schema}.inbox ADD COLUMN sent timestamptz;
    ALTER TABLE ${schema}.inbox ALTER COLUMN sent SET DEFAULT clock_timestamp();
    CREATE INDEX inbox_sent ON ${schema}.inbox (sent);
    CREATE INDEX sessions_since ON ${schema}.sessions (since);
    CREATE INDEX sessions_stateless ON ${schema}.sessions (session) WHERE state IS NULL;`,
  // The states are read anew: an approval and an answer left the state as it was, and so did the cut of a log.
  (schema) => `
    UPDATE ${schema}.sessions AS held SET state = told.state, since = held.written
    FROM ${schema}.sessions AS seen CROSS JOIN LATERAL (
      SELECT CASE WHEN left(line, 60) ~ '^{"type":"outcome","status":"failed","reason":"store"' THEN 'open'
        ELSE coalesce(substring(left(line, 60) FROM '^{"type":"outcome","status":"([a-z]+)"'), 'open') END AS state
      FROM ${schema}.lines WHERE lines.session = seen.session
        AND left(line, 60) ~ '^{"type":"(input|resume|approval|answer|outcome)"'
      ORDER BY number DESC LIMIT 1
    ) AS told
    WHERE held.session = seen.session AND held.lines = seen.lines AND held.state IS DISTINCT FROM told.state;`,
  // A row without a text is over from its beginning.
  (schema) => `
    CREATE TABLE ${schema}.vault (
      name text COLLATE "C" PRIMARY KEY,
      held text,
      until timestamptz DEFAULT clock_timestamp(),
      holder text,
      renewed timestamptz
    );
    CREATE INDEX vault_until ON ${schema}.vault (until);`,
];

/**
 * Makes the tables of the store, or brings them up to date. It may be called at any time, also by many workers at once: each step is done
 * once, and a step that fails changes nothing. Returns the numbers of the versions before and after.
 * @throws LastcallError `configuration` for a name that can't be a schema, and for tables of a later version of lastcall; `store` if the
 * database refuses.
 */
export async function migrate(
  pool: PgPool,
  options: MigrateOptions = {},
): Promise<{ readonly from: number; readonly to: number }> {
  expectPool("migrate", pool);
  checkOptions("migrate", options, migrateOptions);
  const schema = checkSchema(options.schema);
  hearErrors(pool);
  try {
    return await persistently(async () => inTransaction(pool, (client) => runSteps(client, schema)));
  } catch (thrown) {
    throw storeFault("make the tables in", `the schema ${schema} of Postgres`, thrown);
  }
}

async function runSteps(
  client: Pick<PgPool, "query">,
  schema: string,
): Promise<{ readonly from: number; readonly to: number }> {
  // `IF NOT EXISTS` alone fails if two create the same thing at once.
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`lastcall ${schema}`]);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${schema}.versions (version int PRIMARY KEY, made timestamptz NOT NULL)`,
  );
  const from = await versionIn(client, schema);
  if (from > steps.length) throw laterVersion(schema, from);
  for (const [index, step] of steps.entries()) {
    if (index < from) continue;
    await client.query(step(schema));
    await client.query(`INSERT INTO ${schema}.versions VALUES ($1, clock_timestamp())`, [index + 1]);
  }
  return { from, to: steps.length };
}

/**
 * Checks that the tables are there.
 * @throws LastcallError `configuration` that says what to run if they are not, or if they are of another version.
 */
export async function expectTables(pool: Pick<PgPool, "query">, schema: string): Promise<void> {
  const version = await versionIn(pool, schema).catch((thrown: unknown) => {
    // The table or the schema does not exist.
    const code = String((thrown as { readonly code?: unknown }).code);
    if (code === "42P01" || code === "3F000") return 0;
    throw thrown;
  });
  if (version > steps.length) throw laterVersion(schema, version);
  if (version === steps.length) return;
  const what = version === 0 ? "has no tables of lastcall" : `has tables of version ${String(version)}`;
  throw new LastcallError(
    "configuration",
    `The schema ${schema} of Postgres ${what}: call migrate(pool), or run lastcall store migrate, before the first session.`,
  );
}

async function versionIn(client: Pick<PgPool, "query">, schema: string): Promise<number> {
  const { rows } = await client.query(`SELECT coalesce(max(version), 0) AS version FROM ${schema}.versions`);
  return Number(rows[0]?.["version"]);
}

function laterVersion(schema: string, version: number): LastcallError {
  return new LastcallError(
    "configuration",
    `The schema ${schema} of Postgres has tables of version ${String(version)}, and this lastcall knows ${String(steps.length)}: use a later one.`,
  );
}

/**
 * The name of a schema, as it stands in statements.
 * @throws LastcallError `configuration` if it is no plain name.
 */
export function checkSchema(schema: string = defaultSchema): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return schema;
  throw new LastcallError(
    "configuration",
    `${JSON.stringify(schema)} can't be the schema: use a-z, 0-9 and _, 63 characters at most, no digit first.`,
  );
}
