// Agents as tasks of MCP, over real HTTP, with the official client of tasks.

import { resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { afterEach, expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { mcpHandler, type McpHandlerOptions, type ServedAgent } from "../../../src/mcp/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { serve as listenOn } from "../../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { ask, connectTasks } from "./task-client.js";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const store = memoryStore();

async function serve(agent: ServedAgent, more: Partial<McpHandlerOptions> = {}): Promise<URL> {
  const sessions: McpHandlerOptions["sessions"] = (id, about) => openSession({ store, id, about });
  const server = await listenOn(mcpHandler({ agents: { paint: agent }, sessions, ...more }));
  cleanups.push(() => server.close());
  return new URL("/mcp", server.url);
}

async function client(...args: Parameters<typeof connectTasks>): ReturnType<typeof connectTasks> {
  const session = await connectTasks(...args);
  cleanups.push(() => session.end());
  return session;
}

function painter(script: Script): ServedAgent {
  const agent = createAgent({ model: scriptedModel(script), tools: [askQuestion(), taskCompletion()] });
  return { description: "Paints things.", agent };
}

test("a call becomes a task, and the client follows it to its result", async () => {
  const url = await serve(painter([[call("task_completion", { result: "Painted." })]]));
  const session = await client(url);
  const execution = await session.callTool("paint", { task: "the fence" });
  expect(execution.kind).toBe("task");
  const { outcome, lastTask } = await execution.settle();
  console.log(JSON.stringify(outcome), JSON.stringify(lastTask));
  const result = resultFromTaskOutcome(outcome);
  expect(result.content[0]).toEqual({ type: "text", text: "Painted." });
});

test("x", async () => {
  const url = await serve(painter([[call("task_completion", { result: "Painted." })]]));
  const made = await ask(url, "tools/call", { name: "paint", arguments: { task: "the fence" } });
  console.log(JSON.stringify(made));
  console.log(JSON.stringify(await ask(url, "tasks/get", { taskId: made.result!.taskId })));
  console.log(JSON.stringify(await ask(url, "tasks/get", { taskId: "x" })));
  console.log(JSON.stringify(await ask(url, "tasks/get", { taskId: "x" }, { capabilities: {} })));
});
