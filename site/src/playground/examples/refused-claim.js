// The model says that it is done. A check decides.

import { createAgent, tool } from "lastcall";
import { predicate } from "lastcall/checks";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";

const cart = [];

const add = tool({
  name: "add",
  description: "Puts something into the cart",
  input: z.object({ item: z.string() }),
  run: ({ item }) => `${cart.push(item)} in the cart`,
});

const hasMilk = predicate("milk in the cart", () => ({
  passed: cart.includes("milk"),
  output: `The cart has: ${cart.join(", ") || "nothing"}.`,
}));

const model = scriptedModel([
  [call("add", { item: "bread" })],
  [
    call("task_completion", {
      result: "Bread and milk are in the cart.",
    }),
  ],
  [call("add", { item: "milk" })],
  [
    call("task_completion", {
      result: "Now both are in the cart.",
    }),
  ],
]);

export const agent = createAgent({
  model,
  tools: [add, taskCompletion()],
  checks: [hasMilk],
});

export const task = "Buy bread and milk.";
