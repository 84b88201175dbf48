// The agent: a tool that looks, and two tools that end the run, each with a value of its own type.

import { createAgent, tool, type Model } from "lastcall";
import { z } from "zod";

const packs = new Map([
  ["coffee", 3],
  ["tea", 40],
]);

const stockOf = tool({
  name: "stock_of",
  description: "Tells how many packs of a product are left.",
  input: z.object({ product: z.string() }),
  effect: "none",
  run: ({ product }) => packs.get(product) ?? "There is no such product.",
});

const order = tool({
  name: "order",
  description: "Ends the run: orders packs of a product.",
  input: z.object({ product: z.string(), packs: z.int().min(1).max(100) }),
  isLoopBreaking: true,
});

const orderNothing = tool({
  name: "order_nothing",
  description: "Ends the run: there is enough, or nothing that can be ordered.",
  input: z.object({ why: z.string() }),
  isLoopBreaking: true,
});

/** The agent with this model: main.ts gives a real one, the test a scripted one. */
export const agentWith = (model: Model) =>
  createAgent({
    model,
    instructions: "You keep a shop stocked. Look before you order. Order a product once fewer than ten packs are left.",
    tools: [stockOf, order, orderNothing],
  });
