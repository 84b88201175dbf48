// The support desk: it finds an order, asks the customer what is missing, and pays back only what a colleague approved.

import { createAgent, tool, type Model } from "lastcall";
import { askQuestion, taskCompletion } from "lastcall/tools";
import { z } from "zod";

const orders = new Map([
  ["A-17", { order: "A-17", item: "lamp", paidCents: 4000 }],
  ["B-42", { order: "B-42", item: "kettle", paidCents: 2900 }],
]);

const findOrder = tool({
  name: "find_order",
  description: "Finds an order by its number.",
  input: z.object({ order: z.string() }),
  effect: "none",
  run: ({ order }) => orders.get(order) ?? "There is no such order.",
});

const refund = tool({
  name: "refund",
  description: "Pays money back for an order.",
  input: z.object({ order: z.string(), cents: z.int().positive() }),
  effect: "network", // A call with such an effect needs an approval.
  preview: ({ order, cents }) => `Pay ${(cents / 100).toFixed(2)} euros back for ${order}`,
  run({ order, cents }) {
    if (cents > (orders.get(order)?.paidCents ?? 0)) throw new Error("That is more than was paid for the order.");
    return `Paid back: ${String(cents)} cents for ${order}.`;
  },
});

export const deskWith = (model: Model) =>
  createAgent({
    model,
    instructions:
      "You help customers with broken goods. Find the order, then refund what was paid. Ask for what you lack.",
    tools: [findOrder, refund, askQuestion(), taskCompletion()],
    // The run ends here and waits, in the store, for a yes or no over HTTP: minutes or days, also across a restart.
    permission: () => ({ later: true, reason: "it moves money" }),
  });
