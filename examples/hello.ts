// The smallest agent: one tool that looks, and one that ends the run.

import { createAgent, tool } from "lastcall";
import { openai } from "lastcall/model";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";

const weather = tool({
  name: "weather",
  description: "Tells the weather of a city.",
  input: z.object({ city: z.string() }),
  effect: "none",
  run: ({ city }) => ({ city, sky: "rain", degrees: 9 }),
});

const agent = createAgent({ model: openai(), tools: [weather, taskCompletion()] });
const outcome = await agent.run(process.argv[2] ?? "Do I need an umbrella in Oslo?");

console.log(outcome.status === "completed" ? outcome.value.result : outcome.message);
