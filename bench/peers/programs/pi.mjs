// pi's Agent on one task.

import { Agent } from "@earendil-works/pi-agent-core";
import * as ai from "@earendil-works/pi-ai";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { answer, baseURL, end, instructions, lastTools, model as id, mostSteps, task, tools } from "./tools.mjs";

const model = {
  ...{ id, name: id, api: "openai-completions", provider: "loopback", baseUrl: baseURL, reasoning: false },
  ...{ input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
  ...{ contextWindow: 100_000, maxTokens: 4096 },
};
const models = ai.createModels();
models.setProvider(
  ai.createProvider({
    ...{ id: "loopback", name: "loopback", baseUrl: baseURL, models: [model], api: openAICompletionsApi() },
    auth: { apiKey: { name: "loopback", resolve: async () => ({ auth: { apiKey: "none" } }) } },
  }),
);
const own = Object.entries(tools).map(([name, { description, fields }]) => ({
  ...{ name, label: name, description },
  parameters: {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field, { type: "string" }])),
    required: fields,
  },
  execute: async (_id, input) => ({
    content: [{ type: "text", text: String(answer(name, input)) }],
    details: {},
    terminate: lastTools.includes(name),
  }),
}));
const agent = new Agent({
  streamFn: models.streamSimple.bind(models),
  getApiKey: () => "none",
  initialState: { systemPrompt: instructions, model, tools: own },
});
let steps = 0;
agent.subscribe((event) => {
  if (event.type === "turn_end" && ++steps >= mostSteps) agent.abort();
});
await end(async () => {
  await agent.prompt(task);
  const { errorMessage } = agent.state.messages.filter(({ role }) => role === "assistant").at(-1) ?? {};
  if (errorMessage) throw new Error(errorMessage);
});
