// Shows a run that survives the kill of its worker: `node examples/many-machines/survive.mjs`, while start.mjs runs.

import { hostOnDbos } from "lastcall/dbos";
import { followSession, openSession } from "lastcall/memory";
import { pgStore } from "lastcall/postgres";
import pg from "pg";
import { agents } from "./agent.mjs";
import { url } from "./postgres.mjs";

const pool = new pg.Pool({ connectionString: url });
const store = pgStore(pool);
// It gives inputs, and runs no agent.
const host = await hostOnDbos({ agents, store, pool, work: false, poll: 200 });
const session = `order-${Date.now().toString(36)}`;
const began = Date.now();
const say = (words) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${words}`);

const watching = new AbortController();
void watch();
const run = await host.give({ session, input: "Pack and send the order.", inputId: session });
say(`the order is given: ${session}`);
const asked = await run.ended();
const due = await openSession({ store, id: session }).waiting();
say(`it asks: ${due.value.question} No worker holds it now.`);
const answered = await host.give({ session, answers: asked.waiting.id, input: "yes" });
const { status } = await answered.ended();
say(`the run is ${status}`);

watching.abort();
await host.close();
await pool.end();
process.exit(status === "completed" ? 0 : 1);

/** Tells each record, and kills the worker with -9 while it packs the second parcel. */
async function watch() {
  let isKilled = false;
  for await (const records of followSession({ store, id: session, signal: watching.signal })) {
    for (const record of records) {
      if (record.type === "result") say(record.result.text.split("\n")[0]);
      if (record.type === "intent" && record.callId.endsWith("call:2:0") && !isKilled) {
        isKilled = true;
        const { rows } = await pool.query("SELECT holder FROM lastcall.sessions WHERE session = $1", [session]);
        const { pid } = JSON.parse(rows[0].holder);
        process.kill(pid, "SIGKILL");
        say(`worker ${pid} is killed with -9 while it packs parcel 2`);
      }
    }
  }
}
