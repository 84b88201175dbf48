// A process that runs a session for a person under a limit of each person, and kills itself while its second request is under way.
// Arguments: the address of Postgres, the schema, and the id of the person.

import { createAgent, tool } from "lastcall";
import { openSession } from "lastcall/memory";
import { pgStore } from "lastcall/postgres";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import pg from "pg";

const [url, schema, id] = process.argv.slice(2);
const store = pgStore(new pg.Pool({ connectionString: url, max: 4 }), { schema });
const input = { type: "object", properties: {} };
const note = tool({ name: "note", description: "Notes.", input, effect: "none", run: () => "noted" });
const model = scriptedModel(({ number }) => {
  if (number === 2) process.kill(process.pid, "SIGKILL");
  return [call("note", {})];
});
const agent = createAgent({ model, tools: [note, taskCompletion()], circuit: { stall: false } });
const budget = store.limits({ name: "people", maxIterations: 4, per: "principal", every: "month" });
await agent.run("go", { session: openSession({ store, id }), budget, by: { id, tenant: "acme" } });
