// The smallest agent: one tool, and a call of it ends the run.

import { createAgent } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";

// The model's replies, in order. Change them, and run again.
const model = scriptedModel([
  {
    text: "Someone is reading this.",
    calls: [
      call("task_completion", { result: "Hello, reader." }),
    ],
  },
]);

export const agent = createAgent({
  model,
  tools: [taskCompletion()],
  instructions: "You greet people.",
});

export const task = "Say hello.";
