// Three mistakes, one after the other. The model reads what was wrong and
// what to do, and once it recovers, the mistakes leave its prompt.
// Open the prompt of the last two requests: the journal keeps everything.

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
  "I have renamed it.", // words, and no call
  [call("rename", '{"from": "a.txt", "to": "b.')], // the JSON breaks off
  [call("rename", { from: "a.txt", target: "b.txt" })], // a field that is not there
  [call("rename", { from: "a.txt", to: "b.txt" })],
  [call("task_completion", { result: "a.txt is now b.txt." })],
]);

export const agent = createAgent({ model, tools: [rename, taskCompletion()] });

export const task = "Rename a.txt to b.txt.";
