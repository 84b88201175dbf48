// A process with a run at work that suspends the run when it is told to terminate.

import { appendFileSync } from "node:fs";

const { path, outside } = JSON.parse(process.argv[2] ?? "{}");

const { createAgent, tool } = await import("../../dist/index.js");
const { fileStore, openSession } = await import("../../dist/memory/index.js");
const { allowAll } = await import("../../dist/permission/index.js");
const { call, scriptedModel } = await import("../../dist/testing/index.js");
const { taskCompletion } = await import("../../dist/tools/index.js");

const suspend = new AbortController();
process.once("SIGTERM", () => suspend.abort());

const work = tool({
  name: "work",
  description: "Works",
  input: { type: "object", properties: {}, additionalProperties: false },
  effect: "write",
  async run() {
    appendFileSync(outside, "began\n");
    process.stdout.write("working\n");
    await new Promise((resolve) => setTimeout(resolve, 500));
    appendFileSync(outside, "ended\n");
    return "worked";
  },
});
const agent = createAgent({
  model: scriptedModel([[call("work", {})]]),
  tools: [work, taskCompletion()],
  permission: allowAll(),
});
const session = openSession({ store: fileStore(path), id: "s" });
const outcome = await agent.run("Go.", { session, suspend: suspend.signal });
process.stdout.write(`${outcome.status} ${String(outcome.suspended)}\n`);
