// A server of agents over MCP that tests kill. Its model answers what it reads, so that any process may go on. Argument: the folder.

import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, tool } from "lastcall";
import { mcpHandler } from "lastcall/mcp";
import { fileStore, openSession } from "lastcall/memory";
import { serve } from "lastcall/server";
import { call, scriptedModel } from "lastcall/testing";
import { askQuestion, taskCompletion } from "lastcall/tools";
import { z } from "zod";

const folder = process.argv[2];
const pay = tool({
  name: "pay",
  description: "Pays.",
  effect: "network",
  input: z.object({}),
  run: () => {
    appendFileSync(join(folder, "paid"), "paid\n");
    return "paid";
  },
});
const look = tool({
  name: "look",
  description: "Looks, as long as the folder has the file `hold`.",
  effect: "read",
  input: z.object({}),
  run: async (_input, { signal }) => {
    appendFileSync(join(folder, "looked"), "looked\n");
    while (existsSync(join(folder, "hold"))) await sleep(10, undefined, { signal });
    return "looked";
  },
});
const model = scriptedModel(({ lastText }) => {
  if (lastText.includes("looked")) return [call("task_completion", { result: "Paid and looked." })];
  if (lastText.includes("paid")) return [call("look")];
  if (lastText.includes("ask")) return [call("ask_question", { question: "Really?" })];
  // Nobody knows whether a call that died in its midst has paid: the model does not pay once more.
  return [/^(?:pay|yes)$/.test(lastText) ? call("pay") : call("look")];
});
const agent = createAgent({
  model,
  tools: [pay, look, askQuestion(), taskCompletion()],
  permission: ({ name }, { approval }) =>
    name === "pay" && existsSync(join(folder, "careful")) && approval?.allowed !== true
      ? { later: true, reason: "money" }
      : { allowed: true },
});
const store = fileStore(join(folder, "sessions"));
const handle = mcpHandler({
  agents: { clerk: { description: "Pays and looks.", agent } },
  sessions: (id, about) => openSession({ store, id, about }),
  authenticate: ({ headers }) => ({ id: headers.get("x-person") ?? "ann" }),
});
const server = await serve(handle, { port: 0 });
process.send(String(server.url));
