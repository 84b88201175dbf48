// One call of a tool as Ann, by a process of its own. Arguments: the settings as JSON. Prints the result.

import { createAgent } from "lastcall";
import { mcpTools, signIns } from "lastcall/mcp";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { vaultOf } from "./vault-of.mjs";

const settings = JSON.parse(process.argv[2]);
const { url, redirect } = settings;
const { vault, close } = await vaultOf(settings);
const signIn = signIns({ vault, redirect });
const server = await mcpTools({ name: "bank", url, signIn });
const agent = createAgent({
  model: scriptedModel([[call("bank__whoami")], [call("task_completion", { result: "done" })]]),
  permission: () => true,
  tools: [taskCompletion()],
  toolSources: [server],
});
const outcome = await agent.run("Go.", {
  by: { id: "ann" },
  onEvent: (event) => event.type === "call-end" && console.log(event.result.text),
});
console.log(outcome.status);
await server.close();
await close();
