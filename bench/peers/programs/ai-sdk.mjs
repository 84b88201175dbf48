// The AI SDK's ToolLoopAgent on one task.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolLoopAgent, hasToolCall, stepCountIs, tool } from "ai";
import { z } from "zod";
import { answer, baseURL, end, instructions, lastTools, model, mostSteps, task, tools } from "./tools.mjs";

const own = Object.entries(tools).map(([name, { description, fields }]) => {
  const inputSchema = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
  return [name, tool({ description, inputSchema, execute: (input) => answer(name, input) })];
});
const agent = new ToolLoopAgent({
  model: createOpenAICompatible({ name: "loopback", baseURL, apiKey: "none" })(model),
  instructions,
  tools: Object.fromEntries(own),
  stopWhen: [...lastTools.map((name) => hasToolCall(name)), stepCountIs(mostSteps)],
});
await end(async () => {
  const { steps } = await agent.generate({ prompt: task });
  if (steps.length >= mostSteps) throw new Error("It has taken all of its steps.");
});
