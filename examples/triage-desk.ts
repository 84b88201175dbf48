// A triage desk: an agent finds the right colleague, who goes on in the same run. The answers come from the terminal.

import { createAgent, tool } from "lastcall";
import { openai } from "lastcall/model";
import { allowAll } from "lastcall/permission";
import { askQuestion, handBack, handOver } from "lastcall/tools";
import { createInterface } from "node:readline/promises";
import { z } from "zod";

const model = openai();

const charges = tool({
  name: "charges",
  description: "The charges of an order.",
  input: z.object({ order: z.string() }),
  effect: "read",
  run: ({ order }) => [`${order}: 1999 cents on Monday`, `${order}: 1999 cents on Tuesday`],
});
const refunded = tool({
  name: "refunded",
  description: "Ends the case with a refund.",
  input: z.object({ order: z.string(), cents: z.int().positive() }),
  isLoopBreaking: true,
});
const explained = tool({
  name: "explained",
  description: "Ends the case with an explanation.",
  input: z.object({ answer: z.string() }),
  isLoopBreaking: true,
});

const billing = createAgent({
  model,
  instructions: "You handle charges. Look at them before you pay anything back. Hand back what is not about money.",
  tools: [charges, refunded, askQuestion(), handBack()],
  permission: allowAll(),
});
const support = createAgent({
  model,
  instructions: "You explain how the product works.",
  tools: [explained, askQuestion(), handBack()],
});
const desk = createAgent({
  model,
  instructions: "You find the right colleague for the customer. You solve nothing yourself.",
  tools: [
    handOver({ billing, support }, { when: { billing: "charges and refunds", support: "how to use the product" } }),
    askQuestion(),
  ],
  limits: { maxIterations: 30 },
});

const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator]();
let outcome = await desk.run(process.argv[2] ?? "You charged me twice.");
while (outcome.status === "waiting") {
  console.log(`${outcome.speaker ?? "desk"}: ${outcome.value.question}`);
  const line = await lines.next();
  if (line.done === true) break;
  // The desk is given every answer. The journal knows who speaks.
  outcome = await desk.run(line.value, { session: outcome.session, answers: outcome.id });
}
terminal.close();

if (outcome.status === "completed") {
  // Every ending of every colleague is a case: without one of them this does not compile.
  switch (outcome.by) {
    case "refunded":
      console.log(`${String(outcome.value.cents)} cents go back for ${outcome.value.order}.`);
      break;
    case "explained":
      console.log(outcome.value.answer);
      break;
  }
} else {
  console.log(outcome.status);
  process.exitCode = 2;
}
