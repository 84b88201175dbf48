// A process that holds a session in Postgres until it is killed: it says a word once it has the lock.

import pg from "pg";
import { openSession } from "lastcall/memory";
import { pgStore } from "lastcall/postgres";

const [, , url, schema, id] = process.argv;
const store = pgStore(new pg.Pool({ connectionString: url }), { schema });
const lease = await openSession({ store, id }).lease();
await lease.append({ seq: 0, at: Date.now(), type: "input", run: 1, text: "Go." });
await lease.stored();
process.stdout.write("holds");
setInterval(() => undefined, 60_000);
