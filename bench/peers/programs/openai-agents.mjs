// OpenAI Agents JS on one task.

import { Agent, OpenAIChatCompletionsModel, run, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { answer, baseURL, end, instructions, lastTools, model, mostSteps, task, tools } from "./tools.mjs";

setTracingDisabled(true);
const own = Object.entries(tools).map(([name, { description, fields }]) => {
  const parameters = z.object(Object.fromEntries(fields.map((field) => [field, z.string()])));
  return tool({ name, description, parameters, execute: (input) => answer(name, input) });
});
const agent = new Agent({
  name: "worker",
  instructions,
  model: new OpenAIChatCompletionsModel(new OpenAI({ baseURL, apiKey: "none" }), model),
  tools: own,
  toolUseBehavior: { stopAtToolNames: lastTools },
});
await end(() => run(agent, task, { maxTurns: mostSteps }));
