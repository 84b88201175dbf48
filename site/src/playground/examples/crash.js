// Five payments. Press Kill in the middle of one: the worker is
// gone, and its memory with it. Resume starts a new worker from
// the journal. Count the bank's payments at the end.

import { createAgent, tool } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";
import { bank } from "./bank.js"; // stands outside the worker

const invoices = { 1: 1200, 2: 450, 3: 8000, 4: 90, 5: 3100 };

const pay = tool({
  name: "pay",
  description: "Pays one invoice",
  input: z.object({ invoice: z.int() }),
  effect: "network",
  // A call that was under way runs again, with the same id.
  // The bank knows the id, so it pays once. Without this line
  // the model is told that the outcome is unknown.
  idempotent: true,
  run: ({ invoice }, { callId }) =>
    bank.pay({
      key: callId,
      to: `invoice ${invoice}`,
      cents: invoices[invoice],
    }),
});

const model = scriptedModel([
  [call("pay", { invoice: 1 })],
  [call("pay", { invoice: 2 })],
  [call("pay", { invoice: 3 })],
  [call("pay", { invoice: 4 })],
  [call("pay", { invoice: 5 })],
  [
    call("task_completion", {
      result: "All five invoices are paid.",
    }),
  ],
]);

export const agent = createAgent({
  model,
  tools: [pay, taskCompletion()],
  permission: () => true,
});

export const task = "Pay invoices 1 to 5.";
