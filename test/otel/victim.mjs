// A process that is killed during a call: it says a word when the call has begun.

import { createAgent, tool } from "lastcall";
import { fileStore, openSession } from "lastcall/memory";
import { allowAll } from "lastcall/permission";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { z } from "zod";

const [, , folder] = process.argv;
const edit = tool({ name: "edit", description: "Edits.", effect: "write", input: z.object({}), run: () => "edited" });
const hang = tool({
  name: "hang",
  description: "Hangs.",
  effect: "write",
  input: z.object({}),
  run: () => {
    process.stdout.write("hangs");
    return new Promise((resolve) => setTimeout(resolve, 60_000));
  },
});
const model = scriptedModel([[call("edit"), call("hang")]]);
const agent = createAgent({ model, tools: [edit, hang, taskCompletion()], permission: allowAll() });
await agent.run("go", { session: openSession({ store: fileStore(folder), id: "s" }) });
