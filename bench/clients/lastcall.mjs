// The same task with lastcall. All options are at their defaults, apart from a store and `clip` if a row asks for them. The tool says
// that it reads, unless `effect` is null.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const input = z.object({ key: z.string(), text: z.string().optional() });

/** Opens a store in a folder of its own, which is removed as the process ends. */
async function opened(kind, library) {
  if (kind === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "lastcall-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const memory = await import(`${library}/memory/index.js`);
  const store = kind === "file" ? memory.fileStore(folder) : memory.sqliteStore(join(folder, "sessions.sqlite"));
  return () => memory.openSession({ store });
}

let opening;

/** Makes a function that runs the task once. `library` is the folder of the built library, `store` is `file`, `sqlite` or nothing. */
export async function prepare({ baseURL, lookup, library, store, clip, effect = "read" }) {
  const [{ createAgent, tool }, { openai }, { taskCompletion }] = await Promise.all([
    import(`${library}/index.js`),
    import(`${library}/model/index.js`),
    import(`${library}/tools/index.js`),
  ]);
  const session = await (opening ??= opened(store, library));
  const agent = createAgent({
    model: openai({ baseURL, model: "scripted", apiKey: "none" }),
    instructions: "You look keys up.",
    tools: [
      tool({ name: "lookup", description: "Looks a key up", input, run: lookup, ...(effect && { effect }) }),
      taskCompletion(),
    ],
    ...(clip !== undefined && { clip }),
  });
  return async () => {
    const outcome = await agent.run("Look them all up.", session && { session: session() });
    if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome).slice(-400));
    return { iterations: outcome.iterations, result: outcome.value.result };
  };
}
