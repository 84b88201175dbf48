// A server over AG-UI and useChat that tests kill. Its model answers what it reads, so that any process may go on. Argument: JSON with the
// kind of its place, the folder of the place, and the address of Postgres.

import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, tool } from "lastcall";
import { hostOnDbos } from "lastcall/dbos";
import { fileStore } from "lastcall/memory";
import { pgStore } from "lastcall/postgres";
import { createHandler, serve } from "lastcall/server";
import { call, scriptedModel } from "lastcall/testing";
import { askQuestion, runCommand, taskCompletion } from "lastcall/tools";
import pg from "pg";
import { z } from "zod";

const { kind, folder, url } = JSON.parse(process.argv[2]);

const map = call("show_map", { city: "Graz" });
const command = call("run_command", { command: "echo begun >> begun; exec sleep 20" });
const replies = {
  "where?": { text: "Look:", calls: [map] },
  "which?": [call("ask_question", { question: "Which?" })],
  "pay!": [call("pay")],
  "build, then show": [command, map],
  "show, then build": [map, command],
};
const scripted = scriptedModel(({ lastText }) => replies[lastText] ?? [call("task_completion", { result: "Done." })]);
const model = {
  ...scripted,
  /** Waits with every reply but the first while the folder has the file `hold`. */
  async *respond(request, signal) {
    const isFirst = !request.messages.some(({ role }) => role === "assistant");
    while (!isFirst && existsSync(join(folder, "hold"))) await sleep(10, undefined, { signal });
    return yield* scripted.respond(request, signal);
  },
};
const pay = tool({
  name: "pay",
  description: "Pays",
  effect: "network",
  input: z.object({}),
  run: () => {
    appendFileSync(join(folder, "paid"), "paid\n");
    return "paid";
  },
});
const agent = createAgent({
  model,
  tools: [pay, runCommand({ root: folder }), askQuestion(), taskCompletion()],
  permission: ({ name }) => (name === "pay" ? { later: true, reason: "money" } : { allowed: true }),
});
const agents = { agent };
const pool = kind === "files" ? undefined : new pg.Pool({ connectionString: url, max: 10 });
const store = pool === undefined ? fileStore(join(folder, "sessions")) : pgStore(pool);
const host = kind === "dbos" ? await hostOnDbos({ agents, store, pool, poll: 50, heartbeatTimeout: 1000 }) : undefined;
const server = await serve(createHandler(host === undefined ? { agents, store } : { host }), { port: 0 });
process.send(String(server.url));
