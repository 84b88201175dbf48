// The vault that a process of a test was told of: in a folder, or in a database.

import { fileVault } from "lastcall/mcp";
import { pgStore } from "lastcall/postgres";

export async function vaultOf({ folder, key, database, schema }) {
  if (database === undefined) return { vault: fileVault({ folder, key }), close: async () => undefined };
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({ connectionString: database, max: 1 });
  return { vault: pgStore(pool, { schema }).vault({ key }), close: () => pool.end() };
}
