// A process that works on a tree of agents, three levels deep and four wide, until the task is done or the process is killed.

import { appendFileSync } from "node:fs";

const { kind, path, url, outside } = JSON.parse(process.argv[2] ?? "{}");

const { createAgent, tool } = await import("../../dist/index.js");
const { fileStore, openSession, sqliteStore } = await import("../../dist/memory/index.js");
const { openai } = await import("../../dist/model/index.js");
const { allowAll } = await import("../../dist/permission/index.js");
const { delegate, taskCompletion } = await import("../../dist/tools/index.js");

const permission = allowAll();
const agentOf = (model, ...tools) =>
  createAgent({
    model: openai({ baseURL: url, model, steady: { firstDelay: 1 } }),
    tools: [...tools, taskCompletion()],
    permission,
  });

const mark = tool({
  name: "mark",
  description: "Marks",
  input: { type: "object", properties: { what: { type: "string" } }, required: ["what"], additionalProperties: false },
  effect: "write",
  async run({ what }, { callId }) {
    appendFileSync(outside, `${JSON.stringify({ what, callId })}\n`);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    return `marked ${what}`;
  },
});

const leaf = agentOf("leaf", mark);
const branch = agentOf("branch", delegate(leaf, { name: "leaf", description: "Marks one thing", effect: "read" }));
const root = agentOf("root", delegate(branch, { name: "branch", description: "Marks four things", effect: "read" }));

const store = kind === "sqlite" ? sqliteStore(path) : fileStore(path);
const session = openSession({ store, id: "tree" });
const { records } = await session.toJSON();
const outcome = await (records.length === 0 ? root.run("root", { session }) : root.resume(session));
await store[Symbol.asyncDispose]?.();
process.stdout.write(`${JSON.stringify({ status: outcome.status, message: outcome.message })}\n`);
