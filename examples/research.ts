// Research in parallel: one agent asks several others at the same time, all under one cost limit.

import { createAgent, sharedLimits, tool } from "lastcall";
import { openai } from "lastcall/model";
import { delegate, listFiles, readFile, searchFiles } from "lastcall/tools";
import { z } from "zod";

const [root = ".", question = "Which parts of this project read the clock?"] = process.argv.slice(2);
const model = openai();

// The prices of your model, for a million tokens. A cost limit needs them.
const limits = { prices: { [model.name]: { input: 2, output: 8 } } };

const report = tool({
  name: "report",
  description: "Ends the search with what was found.",
  input: z.object({ files: z.array(z.string()), finding: z.string() }),
  isLoopBreaking: true,
});
const reader = createAgent({
  model,
  instructions: "You answer one question about the files. You read before you answer.",
  tools: [listFiles({ root }), readFile({ root }), searchFiles({ root }), report],
  limits: { ...limits, maxIterations: 20 },
});

// `effect: "read"` lets up to four of them work side by side.
const ask = delegate(reader, {
  name: "ask_reader",
  description: "Asks a colleague who reads the files. Ask several at once for independent parts.",
  input: z.object({ question: z.string() }),
  brief: ({ question }) => question,
  effect: "read",
});
const answer = tool({
  name: "answer",
  description: "Ends the research with the answer.",
  input: z.object({ answer: z.string(), files: z.array(z.string()) }),
  isLoopBreaking: true,
});
const lead = createAgent({
  model,
  instructions: "You split a question into parts, ask colleagues, and put their findings together.",
  tools: [ask, answer],
  limits,
});

// One limit for the whole tree: a request that does not fit is not sent.
const budget = sharedLimits({ maxCost: 1 });
const outcome = await lead.run(question, {
  budget,
  onEvent(event) {
    if (event.type === "call-end" && event.result.name === ask.name)
      console.error(event.result.ok ? "found" : "failed");
  },
});

if (outcome.status === "completed") {
  console.log(`${outcome.value.answer} (${outcome.value.files.join(", ")})`);
} else {
  console.log(`${outcome.status}: ${"message" in outcome ? outcome.message : ""}`);
  process.exitCode = 2;
}
