// Mastra's Agent on one task.

import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { answer, baseURL, end, instructions, lastTools, model, mostSteps, task, tools } from "./tools.mjs";

const own = Object.entries(tools).map(([id, { description, fields }]) => {
  const inputSchema = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
  return [id, createTool({ id, description, inputSchema, execute: async (input) => answer(id, input) })];
});
const agent = new Agent({
  ...{ id: "worker", name: "worker", instructions, tools: Object.fromEntries(own) },
  model: { id: `loopback/${model}`, url: baseURL, apiKey: "none" },
});
const hasEnded = ({ steps }) =>
  steps.at(-1)?.toolCalls?.some((call) => lastTools.includes(call.payload?.toolName ?? call.toolName)) === true;
await end(async () => {
  const result = await agent.generate([{ role: "user", content: task }], { maxSteps: mostSteps, stopWhen: hasEnded });
  if (result.error) throw result.error;
  if (result.steps.length >= mostSteps) throw new Error("It has taken all of its steps.");
});
