// An agent for the command, lastcall --agent refund-agent.ts "task": its own tools end the run, with typed values.

import { tool } from "lastcall";
import type { AgentModule } from "lastcall/command";
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
  // The gate asks about tools that use the network, unless a rule allows this one: --allow approve
  effect: "network",
  run({ id, cents }) {
    const order = orders.get(id);
    if (order === undefined || cents > order.paidCents) throw new Error("That is more than was paid for the order.");
    return { cents, item: order.item };
  },
});

const escalate = tool({
  name: "escalate",
  description: "Ends the case: a person has to decide. For anything over 500 euros.",
  input: z.object({ why: z.string(), team: z.enum(["accounts", "workshop"]) }),
  isLoopBreaking: true,
  effect: "none",
  // The words of a claim: a conversation shows them while they are written.
  streams: "why",
});

const propose = tool({
  name: "propose",
  description: "Proposes a sum to the customer and waits for a yes or no.",
  input: z.object({ words: z.string(), cents: z.int().positive() }),
  isLoopBreaking: true,
  awaitsReply: true,
  replySchema: z.object({ accepted: z.boolean(), why: z.string().optional() }),
  effect: "none",
  streams: "words",
});

export default {
  instructions: "You decide on refunds for broken goods. Look the order up before you decide.",
  tools: [findOrder, approve, escalate, propose],
  limits: { maxIterations: 20 },
} satisfies AgentModule;
