// A server for tests that kill it: its agent pays only after two people other than the requester said yes.
// Arguments: the kind of the store, its place, the file that payments are noted in.

import { appendFileSync } from "node:fs";
import { createAgent, fourEyes, tool } from "lastcall";
import { fileStore, sqliteStore } from "lastcall/memory";
import { migrate, pgStore } from "lastcall/postgres";
import { createHandler, serve } from "lastcall/server";
import { taskCompletion } from "lastcall/tools";
import pg from "pg";

const [kind, place, log] = process.argv.slice(2);
const stores = {
  files: () => fileStore(place),
  SQLite: () => sqliteStore(place),
  Postgres: async () => {
    const pool = new pg.Pool({ connectionString: place, max: 5 });
    pool.on("error", () => undefined);
    await migrate(pool);
    return pgStore(pool);
  },
};

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };

/** Goes by the prompt: every life asks the same. */
const model = {
  name: "by-the-prompt",
  async *respond({ messages }) {
    const isFirst = !messages.some(({ role }) => role === "assistant");
    const [name, input] = isFirst ? ["pay", { sum: 100 }] : ["task_completion", { result: "done" }];
    return { text: "", finish: "complete", usage, calls: [{ type: "call", name, input }] };
  },
};

const pay = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: { sum: { type: "number" } } },
  effect: "network",
  run: (_input, { callId, principal }) => {
    appendFileSync(log, `${callId} for ${principal?.id}\n`);
    return "paid";
  },
});

const agent = createAgent({
  model,
  tools: [pay, taskCompletion()],
  permission: ({ name }) => (name === "pay" ? { later: true, reason: "money" } : { allowed: true }),
  approvals: { mayApprove: fourEyes, quorum: 2 },
});

const handler = createHandler({
  agents: { worker: agent },
  store: await stores[kind](),
  authenticate: (request) => {
    const [id, tenant] = (request.headers.get("x-person") ?? "").split("@");
    return id ? { id, tenant } : undefined;
  },
  mayRead: ({ tenant }, { owner }) => tenant === owner.tenant,
});
const server = await serve(handler, { port: 0 });
process.on("disconnect", () => process.exit(1));
process.send({ url: server.url });
