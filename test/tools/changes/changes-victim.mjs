// A process that runs an agent with these commands, or takes back what it changed, until it is killed or done.
//
//   node changes-victim.mjs '{ "root", "folder", "store", "commands", "mode": "run" | "undo" | "redo", "caps"? }'

import { createAgent } from "../../../dist/index.js";
import { fileStore, openSession } from "../../../dist/memory/index.js";
import { allowAll } from "../../../dist/permission/index.js";
import { call, scriptedModel } from "../../../dist/testing/index.js";
import { taskCompletion, workspaceChanges, workspaceTools } from "../../../dist/tools/index.js";

const { root, folder, store, commands, mode, caps } = JSON.parse(process.argv[2]);
const changes = workspaceChanges({ root, folder });
process.stdout.write("up\n");
if (mode === "run") {
  const model = {
    name: "scripted",
    provider: "scripted:",
    // The step follows from the results, so that a resumed run goes on where it was.
    respond(request, signal) {
      const step = request.messages.filter(({ role }) => role === "assistant").length;
      process.stdout.write(`step ${step}\n`);
      const command = commands[step];
      const next =
        command === undefined ? call("task_completion", { result: "Done." }) : call("run_command", { command });
      return scriptedModel([[next]]).respond(request, signal);
    },
  };
  const agent = createAgent({
    model,
    tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()],
    hooks: [changes.hook],
    checks: caps === undefined ? [] : changes.caps(caps),
    permission: allowAll(),
  });
  const session = openSession({ store: fileStore(store), id: "s" });
  const { records } = await session.toJSON().catch(() => ({ records: [] }));
  const outcome = records.length === 0 ? await agent.run("Go.", { session }) : await agent.resume(session);
  process.stdout.write(`${outcome.status}\n`);
} else {
  const told = await changes[mode]("s").catch((thrown) => ({ thrown: thrown.message }));
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
