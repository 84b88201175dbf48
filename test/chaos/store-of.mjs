// The store of a process that is killed, of any kind, from the built package.

import { fileStore, sqliteStore } from "../../dist/memory/index.js";
import { poolAhead } from "../postgres/pool-ahead.mjs";

/** Opens the store. `path` is a folder, a file, or the address of Postgres with the schema as `?schema=`. `now` is its clock. */
export async function storeOf(kind, path, now) {
  if (kind === "files") return fileStore(path, now);
  if (kind === "sqlite") return sqliteStore(path, now);
  const [{ default: pg }, { pgStore }] = await Promise.all([import("pg"), import("../../dist/postgres/index.js")]);
  const [connectionString, schema] = path.split("?schema=");
  // The name tells the connections of a process that was killed from others.
  const application_name = `${schema} of ${process.pid}`;
  const pool = new pg.Pool({ connectionString, allowExitOnIdle: true, application_name });
  return pgStore(
    poolAhead(pool, () => now() - Date.now()),
    { schema },
  );
}
