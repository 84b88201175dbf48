// A model that is stuck. Five identical failures in a row open
// the circuit, and the run stops instead of spending more.

import { createAgent } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";

// A function is asked for every reply, so this script never ends.
const model = scriptedModel(() => [
  call("finish", { note: "The leaves are raked." }),
]);

export const agent = createAgent({
  model,
  tools: [taskCompletion()],
});

export const task = "Rake the leaves.";
