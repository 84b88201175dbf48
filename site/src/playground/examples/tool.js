// A tool is a name, a description, a schema and a function.
// The model reads the first three, and never the function.

import { createAgent, tool } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";

const stock = new Map([
  ["bolt", 12],
  ["nut", 40],
]);

const countStock = tool({
  name: "count_stock",
  description: "Says how many of a part are in stock",
  input: z.object({
    part: z.string().describe("Lower case, singular"),
  }),
  run({ part }) {
    const count = stock.get(part);
    // The model reads an error, and the run goes on.
    if (count === undefined)
      throw new Error(
        `No part "${part}": try ${[...stock.keys()].join(" or ")}.`,
      );
    return { part, count };
  },
});

const model = scriptedModel([
  [call("count_stock", { part: "bolts" })],
  [
    call("count_stock", { part: "bolt" }),
    call("count_stock", { part: "nut" }),
  ],
  [call("task_completion", { result: "12 bolts and 40 nuts." })],
]);

export const agent = createAgent({
  model,
  tools: [countStock, taskCompletion()],
});

export const task = "How many bolts and nuts do we have?";
