// A process that gives the word that a session waits for, and kills itself while its run goes on. Arguments: the address of Postgres,
// the schema, and `approval` or `answer`.

import { createAgent, tool } from "lastcall";
import { hostInProcess } from "lastcall/host";
import { openSession } from "lastcall/memory";
import { allowAll } from "lastcall/permission";
import { pgStore } from "lastcall/postgres";
import { taskCompletion } from "lastcall/tools";
import pg from "pg";
import { z } from "zod";

const [url, schema, how] = process.argv.slice(2);
const store = pgStore(new pg.Pool({ connectionString: url, max: 4 }), { schema });
const model = {
  name: "dies",
  async *respond() {
    process.kill(process.pid, "SIGKILL");
  },
};
const pay = tool({
  name: "pay",
  description: "Pays",
  effect: "network",
  input: z.object({}),
  asks: z.string(),
  run: async (_input, { ask }) => (how === "answer" ? `paid ${await ask("How?")}` : "paid"),
});
const permission = how === "answer" ? allowAll() : () => ({ later: true, reason: "money" });
const agents = { clerk: createAgent({ model, tools: [pay, taskCompletion()], permission }) };
const host = await hostInProcess({ agents, store });
const { id: answers, approval } = await openSession({ store, id: "s" }).waiting();
const input = how === "answer" ? "cash" : { allowed: true, digest: approval.digest };
await host.give({ session: "s", answers, input });
