// One worker: takes runs from the queue. Start as many as you like, on any machine that reaches the database.

import { hostOnDbos } from "lastcall/dbos";
import { pgStore } from "lastcall/postgres";
import pg from "pg";
import { agents } from "./agent.mjs";
import { url } from "./postgres.mjs";

const pool = new pg.Pool({ connectionString: url, max: 20, keepAlive: true });
const host = await hostOnDbos({ agents, store: pgStore(pool), pool, poll: 200, heartbeatTimeout: 2000 });
console.log(`worker ${process.pid} works`);
// A deploy stops workers so: their runs go on elsewhere.
process.once("SIGTERM", async () => {
  await host.close();
  await pool.end();
  process.exit(0);
});
