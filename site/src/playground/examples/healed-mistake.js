// Three mistakes, one after the other. The model reads what was
// wrong and what to do. Once it recovers, the mistakes leave its
// prompt: open the prompts of the last two requests.
// The journal keeps everything.

import { createAgent, tool } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";

const rename = tool({
  name: "rename",
  description: "Renames a file",
  input: z.object({ from: z.string(), to: z.string() }),
  run: ({ from, to }) => `${from} is now ${to}`,
});

const model = scriptedModel([
  "I have renamed it.", // no call
  [call("rename", '{"from": "a.txt", "to": "b.')], // breaks off
  [call("rename", { from: "a.txt", target: "b.txt" })], // no field
  [call("rename", { from: "a.txt", to: "b.txt" })],
  [call("task_completion", { result: "a.txt is now b.txt." })],
]);

export const agent = createAgent({
  model,
  tools: [rename, taskCompletion()],
});

export const task = "Rename a.txt to b.txt.";
