// A permission that answers later: the call is parked with
// exactly its arguments. Approve it in a minute or in a week,
// and it runs once.

import { createAgent, tool } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";
import { bank } from "./bank.js";

const refund = tool({
  name: "refund",
  description: "Pays money back for an order",
  input: z.object({
    order: z.string(),
    cents: z.int().positive(),
  }),
  effect: "network",
  preview: ({ order, cents }) =>
    `pays ${cents / 100} EUR back for order ${order}`,
  run: ({ order, cents }, { callId }) =>
    bank.pay({ key: callId, to: order, cents }),
});

const model = scriptedModel([
  [call("refund", { order: "A-1", cents: 800 })],
  [call("refund", { order: "B-2", cents: 9000 })],
  ({ lastText }) => [
    call("task_completion", {
      result: lastText.includes("paid")
        ? "Both are refunded."
        : "A-1 is refunded, B-2 is not.",
    }),
  ],
]);

export const agent = createAgent({
  model,
  tools: [refund, taskCompletion()],
  // Small sums pass. A person decides about the others.
  permission: ({ name, input }) =>
    name !== "refund" ||
    input.cents <= 1000 || {
      later: true,
      reason: "more than 10 EUR",
    },
});

export const task = "Refund A-1 (8 EUR) and B-2 (90 EUR).";
