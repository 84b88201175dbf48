// A process with a run that is handed over, handed back and has work in the background, until the task is done or the process is killed.

import { appendFileSync } from "node:fs";

const { kind, path, url, outside } = JSON.parse(process.argv[2] ?? "{}");

const { createAgent, tool } = await import("../../dist/index.js");
const { fileStore, openSession, sqliteStore } = await import("../../dist/memory/index.js");
const { openai } = await import("../../dist/model/index.js");
const { allowAll } = await import("../../dist/permission/index.js");
const { delegate, handBack, handOver, inBackground, taskCompletion } = await import("../../dist/tools/index.js");

const permission = allowAll();
const agentOf = (model, ...tools) =>
  createAgent({
    model: openai({ baseURL: url, model, steady: { firstDelay: 1 } }),
    tools: [...tools, taskCompletion()],
    permission,
  });

const marking = (name, most) =>
  tool({
    name,
    description: "Marks",
    input: {
      type: "object",
      properties: { what: { type: "string" } },
      required: ["what"],
      additionalProperties: false,
    },
    effect: "write",
    async run({ what }, { callId }) {
      appendFileSync(outside, `${JSON.stringify({ what, callId })}\n`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
      return `marked ${what}`;
    },
  });

const search = delegate(agentOf("leaf", marking("mark", 60)), { name: "search", description: "Searches" });
const billing = agentOf("billing", marking("mark", 60), handBack());
const desk = agentOf("desk", handOver({ billing }), ...inBackground(search, marking("probe", 120)));

const store = kind === "sqlite" ? sqliteStore(path) : fileStore(path);
const session = openSession({ store, id: "relay" });
const { records } = await session.toJSON();
const outcome = await (records.length === 0 ? desk.run("Mark it.", { session }) : desk.resume(session));
await store[Symbol.asyncDispose]?.();
process.stdout.write(`${JSON.stringify({ status: outcome.status, message: outcome.message })}\n`);
