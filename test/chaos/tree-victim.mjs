// A process that works on a tree of agents, three levels deep and four wide, until the task is done or the process is killed.

import { appendFileSync } from "node:fs";

const { kind, path, url, outside, maxIterations, dieAt } = JSON.parse(process.argv[2] ?? "{}");

const { createAgent, tool } = await import("../../dist/index.js");
const { fileStore, openSession, sqliteStore } = await import("../../dist/memory/index.js");
const { openai } = await import("../../dist/model/index.js");
const { allowAll } = await import("../../dist/permission/index.js");
const { delegate, taskCompletion } = await import("../../dist/tools/index.js");

const permission = allowAll();
const agentOf = (model, tool, limits = {}) =>
  createAgent({
    model: openai({ baseURL: url, model, steady: { firstDelay: 1 } }),
    tools: [tool, taskCompletion()],
    permission,
    limits,
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
const root = agentOf("root", delegate(branch, { name: "branch", description: "Marks four things", effect: "read" }), {
  maxIterations,
});

let spends = 0;

/** The lock, with which this process is killed before the usage of an agent is stored for the time `dieAt`. Its reply is stored by then. */
const deadly = (lock) => ({
  ...lock,
  async append(lines, flush) {
    spends += lines.filter((line) => line.startsWith('{"type":"spend"')).length;
    if (spends >= dieAt) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      process.kill(process.pid, "SIGKILL");
    }
    await lock.append(lines, flush);
  },
});

const plain = kind === "sqlite" ? sqliteStore(path) : fileStore(path);
const store = {
  ...plain,
  async lock(...asked) {
    const lock = await plain.lock(...asked);
    return dieAt !== undefined && "append" in lock ? deadly(lock) : lock;
  },
};
const session = openSession({ store, id: "tree" });
const { records } = await session.toJSON();
const outcome = await (records.length === 0 ? root.run("root", { session }) : root.resume(session));
await plain[Symbol.asyncDispose]?.();
process.stdout.write(`${JSON.stringify({ status: outcome.status, message: outcome.message })}\n`);
