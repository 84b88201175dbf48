// A question ends the run, and nothing waits. Answer it whenever
// you like: a new worker reads the journal and goes on.

import { createAgent, tool } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import { askQuestion, taskCompletion } from "lastcall/tools";
import { z } from "zod";

const order = tool({
  name: "order",
  description: "Orders a shirt",
  input: z.object({ size: z.enum(["S", "M", "L"]) }),
  run: ({ size }) => `one shirt in ${size} is ordered`,
});

const model = scriptedModel([
  [
    call("ask_question", {
      question: "Which size?",
      suggestions: ["S", "M", "L"],
    }),
  ],
  // The script reads the answer from the prompt.
  ({ lastText }) => [
    call("order", {
      size: /\b[SML]\b/.exec(lastText)?.[0] ?? "M",
    }),
  ],
  ({ lastText }) => [
    call("task_completion", { result: `Done: ${lastText}.` }),
  ],
]);

export const agent = createAgent({
  model,
  tools: [order, askQuestion(), taskCompletion()],
});

export const task = "Order a shirt for me.";
