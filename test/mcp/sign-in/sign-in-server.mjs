// A server of agents over HTTP whose tools need a sign-in. The tests kill it. Arguments: the settings as JSON.

import { createAgent, tool as toolOf } from "lastcall";
import { fileVault, mcpTools, signIns } from "lastcall/mcp";
import { fileStore } from "lastcall/memory";
import { createHandler, serve } from "lastcall/server";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { apiTools } from "./api-tools.mjs";

const { folder, url, api, issuer, tool, port, key, dies } = JSON.parse(process.argv[2]);
const made = signIns({
  vault: fileVault({ folder: `${folder}/vault`, key }),
  redirect: `http://127.0.0.1:${port}/oauth/callback`,
});
/** Dies after the tokens are kept, and before anybody answers the run. */
const dying = {
  redirect: made.redirect,
  api: made.api,
  async complete(address, by) {
    await made.complete(address, by);
    process.kill(process.pid, "SIGKILL");
    await new Promise(() => undefined);
  },
};
const sources =
  url === undefined ? [] : [await mcpTools({ name: "bank", url, signIn: made, tell: (line) => console.log(line) })];
const bank = api && made.api({ name: "bank", url: api, issuer, scopes: ["read"] });
const agent = createAgent({
  model: scriptedModel(({ lastText }) => [
    lastText === "go" ? call(tool) : call("task_completion", { result: "done" }),
  ]),
  permission: () => true,
  tools: [taskCompletion(), ...(bank ? apiTools(toolOf, bank, api) : [])],
  toolSources: sources,
});
const handle = createHandler({
  agents: { clerk: agent },
  store: fileStore(`${folder}/sessions`),
  // A test's cookie is a name. A real one is signed.
  authenticate(request) {
    const id = /who=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1];
    return id !== undefined && { id };
  },
  signIn: dies ? dying : made,
});
await serve(handle, { port });
process.send("ready");
