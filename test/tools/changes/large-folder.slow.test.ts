// Long runs in a large folder, whose looks threads do, are taken back to the byte, and what others did in between stays.

import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import workers from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent, type Tool } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion, workspaceChanges, workspaceTools } from "../../../src/tools/index.js";
import { randomFrom } from "../../chaos/scale.js";
import { commandFor, fill, filesOf, leftOut, newFolder, picture } from "./world.js";

const { Worker } = workers;
const started = { threads: 0 };

class Counted extends Worker {
  constructor(...given: ConstructorParameters<typeof Worker>) {
    super(...given);
    started.threads += 1;
  }
}

beforeAll(() => {
  Object.assign(workers, { Worker: Counted });
  syncBuiltinESMExports();
});

afterAll(() => {
  Object.assign(workers, { Worker });
  syncBuiltinESMExports();
});

/** `UNDO_RUNS=20 npx vitest run --project slow changes/large-folder` has many more. */
const { UNDO_RUNS = "1", UNDO_FILES = "6000", UNDO_FROM = "1" } = process.env;

const seeds = Array.from({ length: Number(UNDO_RUNS) }, (_none, index) => Number(UNDO_FROM) + index);

test.skipIf(leftOut !== "").each(seeds)(
  `a run of many commands in a large folder is taken back to the byte: seed %i${leftOut}`,
  async (seed) => {
    const random = randomFrom(seed);
    const root = newFolder();
    fill(root, Number(UNDO_FILES), random);
    const first = picture(root);
    const changes = workspaceChanges({ root, folder: newFolder() });
    let theirs = 0;
    const steps: string[] = [];
    const scripted = scriptedModel(({ number }) => {
      if (number > 12) return [call("task_completion", { result: "It is done." })];
      if (random() < 0.3) {
        const files = filesOf(root).filter((path) => !path.startsWith("theirs-"));
        const path = files[Math.floor(files.length * random())]!;
        steps.push(`write ${path}`);
        return [call("write_file", { path, content: `written ${String(number)}` })];
      }
      const command = commandFor(root, number, random);
      steps.push(command);
      return [call("run_command", { command })];
    });
    const agent = createAgent({
      model: {
        ...scripted,
        async *respond(request, signal) {
          // Somebody else is at work while the model answers. The system's clock for files may be some milliseconds late.
          await sleep(20);
          if (random() < 0.5) writeFileSync(join(root, `theirs-${String((theirs += 1))}`), "theirs");
          await sleep(Math.floor(100 * random()));
          return yield* scripted.respond(request, signal);
        },
      },
      tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()] as readonly Tool[],
      hooks: [changes.hook],
      permission: allowAll(),
    });
    const before = started.threads;
    const outcome = await agent.run("Do it.", { session: openSession({ store: memoryStore(), id: "s" }) });
    expect(outcome.status).toBe("completed");
    expect(started.threads, "threads looked").toBeGreaterThan(before);
    const after = picture(root);
    const { conflicts } = await changes.undo("s");
    const isTheirs = (path: string): boolean => path.includes("theirs-");
    const said = `seed ${String(seed)}: ${JSON.stringify(steps)}`;
    expect(
      conflicts.filter(({ path }) => !isTheirs(path)),
      said,
    ).toEqual([]);
    const left = Object.entries(picture(root));
    expect(Object.fromEntries(left.filter(([path]) => !isTheirs(path))), said).toEqual(first);
    expect(left.filter(([path]) => isTheirs(path)).length, said).toBe(theirs);
    const again = await changes.redo("s");
    expect(
      again.conflicts.filter(({ path }) => !isTheirs(path)),
      said,
    ).toEqual([]);
    const made = Object.entries(picture(root)).filter(([path]) => !isTheirs(path));
    expect(Object.fromEntries(made), said).toEqual(
      Object.fromEntries(Object.entries(after).filter(([path]) => !isTheirs(path))),
    );
  },
  300_000,
);
