// The time that undo adds to a run with commands.
//
//   node bench/undo.mjs [--files 10000] [--commands 20] [--reply 1000] [--rounds 5]     six minutes; it needs dist
//
// A round has the same run three times, each in a process of its own: without undo; with undo in a folder in which no run was before, whose
// first command waits for a copy of all files; and with undo after that run. Each command changes one file. A reply takes `--reply` milliseconds.

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "10000" },
    commands: { type: "string", default: "20" },
    reply: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    run: { type: "string" },
  },
});
if (values.run !== undefined) process.send(await measure(JSON.parse(values.run)));
else await compare();

async function compare() {
  const root = mkdtempSync(join(tmpdir(), "undo-bench-"));
  const ratios = { first: [], later: [] };
  try {
    fill(join(root, "work"));
    for (let round = 0; round < Number(values.rounds); round += 1) {
      const kept = join(root, `changes-${round}`);
      const without = await inProcess({ root: join(root, "work") });
      for (const when of ["first", "later"])
        ratios[when].push((await inProcess({ root: join(root, "work"), kept })) / without);
      rmSync(kept, { recursive: true });
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const percent = (ratio) => `${(100 * (ratio - 1)).toFixed(1)} %`;
  for (const [when, all] of Object.entries(ratios)) {
    const sorted = all.toSorted((a, b) => a - b);
    const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map(percent);
    console.log(`${when} run in the folder: ${median} longer (${least} to ${most})`);
  }
}

/** A hundred files in each folder, of some 1 kB. */
function fill(root) {
  for (let index = 0; index < Number(values.files); index += 1) {
    const folder = join(root, `folder-${Math.floor(index / 100)}`);
    if (index % 100 === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${index}.ts`), `export const value${index} = ${index};\n`.repeat(40));
  }
}

async function inProcess(run) {
  const given = ["--commands", values.commands, "--reply", values.reply, "--files", values.files];
  const child = fork(fileURLToPath(import.meta.url), ["--run", JSON.stringify(run), ...given]);
  const [milliseconds] = await once(child, "message");
  return milliseconds;
}

async function measure({ root, kept }) {
  const { createAgent } = await import("../dist/index.js");
  const { memoryStore, openSession } = await import("../dist/memory/index.js");
  const { allowAll } = await import("../dist/permission/index.js");
  const { call, scriptedModel } = await import("../dist/testing/index.js");
  const { taskCompletion, workspaceChanges, workspaceTools } = await import("../dist/tools/index.js");
  const scripted = scriptedModel(({ number }) =>
    number > Number(values.commands)
      ? [call("task_completion", { result: "It is done." })]
      : [call("run_command", { command: `echo ${number} >> folder-0/file-${number}.ts` })],
  );
  const model = {
    ...scripted,
    async *respond(request, signal) {
      await sleep(Number(values.reply));
      return yield* scripted.respond(request, signal);
    },
  };
  const changes = kept === undefined ? undefined : workspaceChanges({ root, folder: kept });
  const tools = workspaceTools({ root });
  const agent = createAgent({
    model,
    tools: [...(changes?.recorded(tools) ?? tools), taskCompletion()],
    hooks: changes === undefined ? [] : [changes.hook],
    permission: allowAll(),
    limits: { maxIterations: 1000 },
  });
  const began = performance.now();
  const { status } = await agent.run("Do it.", { session: openSession({ store: memoryStore(), id: "undo" }) });
  if (status !== "completed") throw new Error(`The run ended ${status}.`);
  return performance.now() - began;
}
