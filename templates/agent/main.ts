// Runs the agent once: npm start -- "your question"

import { log } from "lastcall/log";
import { agentWith } from "./agent.ts";
import { isReal, model } from "./model.ts";

if (!isReal) console.log("A script plays the model. Set OPENAI_API_KEY to ask a real one.");

const input = process.argv[2] ?? "Do we have to order coffee?";
const outcome = await agentWith(model).run(input, { onEvent: log() });

if (outcome.status === "completed") {
  switch (outcome.by) {
    case "order":
      console.log(`Order ${String(outcome.value.packs)} packs of ${outcome.value.product}.`);
      break;
    case "order_nothing":
      console.log(`Order nothing: ${outcome.value.why}`);
      break;
    default:
      outcome satisfies never; // A tool that ends the run and has no case here does not compile.
  }
} else {
  console.error(outcome.message);
  process.exitCode = 1;
}
