// The host of the workers: sessions and the queue in one database of Postgres.

import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import type { DbosHostOptions } from "../../dbos/index.js";
import type { Host } from "../../host/index.js";
import type { PgStore } from "../../postgres/index.js";
import { pgStore } from "../../postgres/index.js";
import type { Settings } from "../args/args.js";
import { visible } from "../display/visible.js";
import type { Surroundings } from "../person/surface.js";
import { openAddress, type Database } from "../sessions/postgres-store.js";
import { storeAddress } from "../sessions/sessions.js";
import { StoredPlans } from "./stored-plans.js";

/** The database of the workers. */
export interface WorkersDatabase extends Pick<Database, "pool"> {
  readonly store: PgStore;
  /** The schedules in it. */
  readonly plans: StoredPlans;
  /** The name of its queue: workers of one schema share the work. */
  readonly queue: string;
  /** Its address for people, without a password. */
  readonly shown: string;
}

/**
 * Opens the database of the workers.
 * @throws LastcallError `configuration` without an address of Postgres, and without tables; `store` if it does not answer.
 */
export async function workersDatabase(
  settings: Pick<Settings, "store" | "sessions" | "order">,
  { env }: Pick<Surroundings, "env">,
): Promise<WorkersDatabase> {
  const address = storeAddress(settings, env);
  if (address === undefined)
    throw new LastcallError(
      "configuration",
      `lastcall ${settings.order.do} needs a database that all workers share: give --store postgres://user@host/database, or set LASTCALL_STORE or the setting store.`,
    );
  const { pool, schema } = await openAddress(address);
  const store = pgStore(pool, { schema });
  const shown = withoutPassword(address);
  await pool.query("select 1").catch((thrown: unknown) => {
    throw new LastcallError("store", `The database ${shown} can't be reached: ${reasonIn(thrown)}.`, { cause: thrown });
  });
  // The tables of sessions are there, or this says how to make them.
  await store.list({ most: 1 });
  const queue = schema ?? "lastcall";
  return { pool, store, queue, shown, plans: new StoredPlans(pool, queue) };
}

/**
 * Makes the host over DBOS. A worker has one run at a time, because all of its runs work in one folder.
 * @throws LastcallError `configuration` without the package of DBOS.
 */
export async function workersHost(
  { pool, store, queue }: WorkersDatabase,
  options: Pick<DbosHostOptions, "agents" | "work" | "onEvent">,
): Promise<Host> {
  const { hostOnDbos } = await import("../../dbos/index.js");
  return hostOnDbos({ ...options, store, pool, queue, concurrency: { perWorker: 1 } });
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  url.password = "";
  return visible(url.href);
}

/** The reason in one line. A name with several addresses has a reason for each. */
function reasonIn(thrown: unknown): string {
  const all = thrown instanceof AggregateError ? thrown.errors : [thrown];
  return visible(all.map((one) => explain(one).replace(/\.$/, "")).join("; "));
}
