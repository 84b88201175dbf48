// A refund desk: three custom tools end the run, and TypeScript knows the type of each outcome.

import { createAgent, tool } from "lastcall";
import { openai } from "lastcall/model";
import { z } from "zod";

const orders = new Map([
  ["A-17", { item: "lamp", paidCents: 4000 }],
  ["B-42", { item: "piano", paidCents: 310_000 }],
]);

const findOrder = tool({
  name: "find_order",
  description: "Finds an order by its number.",
  input: z.object({ id: z.string() }),
  effect: "none",
  run: ({ id }) => orders.get(id) ?? "There is no such order.",
});

const approve = tool({
  name: "approve",
  description: "Ends the case: pays money back.",
  input: z.object({ id: z.string(), cents: z.int().positive() }),
  isLoopBreaking: true,
  // The return value becomes the value of the outcome. If it throws, the model gets the error, and the run continues.
  run({ id, cents }) {
    const order = orders.get(id);
    if (order === undefined || cents > order.paidCents) throw new Error("That is more than was paid for the order.");
    return { cents, item: order.item };
  },
});

// Without a `run`, the value of the outcome is the validated input of the call.
const escalate = tool({
  name: "escalate",
  description: "Ends the case: a person has to decide. For anything over 500 euros.",
  input: z.object({ team: z.enum(["accounts", "workshop"]), why: z.string() }),
  isLoopBreaking: true,
});

const ask = tool({
  name: "ask",
  description: "Asks the customer for what is missing.",
  input: z.object({ question: z.string() }),
  isLoopBreaking: true,
  awaitsReply: true,
});

const agent = createAgent({
  model: openai(),
  instructions: "You decide on refunds for broken goods. Look the order up before you decide.",
  tools: [findOrder, approve, escalate, ask],
});

const outcome = await agent.run(process.argv[2] ?? "The lamp of order A-17 arrived broken. I want my money back.");

if ("by" in outcome) {
  switch (outcome.by) {
    case "approve":
      console.log(`Paid back ${String(outcome.value.cents)} cents for the ${outcome.value.item}.`);
      break;
    case "escalate":
      console.log(`For ${outcome.value.team}: ${outcome.value.why}`);
      break;
    case "ask": // Continue with the customer's reply: agent.run(reply, { session: outcome.session })
      console.log(`To the customer: ${outcome.value.question}`);
      break;
    default:
      outcome satisfies never; // If a tool above is missing here, this does not compile.
  }
} else {
  console.error(outcome.message); // The run stopped, was aborted, or failed.
  process.exitCode = 1;
}
