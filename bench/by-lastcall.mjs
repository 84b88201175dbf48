// The same task with lastcall, with all options at their defaults.

import { createAgent, tool } from "../dist/index.js";
import { openai } from "../dist/model/index.js";
import { taskCompletion } from "../dist/tools/index.js";
import { z } from "zod";

/** Makes a function that runs the task once and returns the number of requests and the result. */
export function prepare(baseURL, lookup) {
  const agent = createAgent({
    model: openai({ baseURL, model: "scripted" }),
    instructions: "You look keys up.",
    tools: [
      tool({ name: "lookup", description: "Looks a key up", input: z.object({ key: z.string() }), run: lookup }),
      taskCompletion(),
    ],
  });
  return async () => {
    const outcome = await agent.run("Look them all up.");
    if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome).slice(-400));
    return { iterations: outcome.iterations, result: outcome.value.result };
  };
}
