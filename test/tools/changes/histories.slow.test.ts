// Random histories are taken back to the byte, and what others did in between stays: of runs with one command each, and of long runs in a
// large folder, whose looks threads do.

import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import workers from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAgent, type Tool } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import { taskCompletion, workspaceChanges, workspaceTools } from "../../../src/tools/index.js";
import { randomFrom } from "../../chaos/scale.js";
import { command, place, withBetween } from "./place.js";
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

/** `UNDO_HISTORIES=480 UNDO_FILES=500 npx vitest run --project slow changes/histories -t "random histories"` has many more. */
const { UNDO_HISTORIES = "40", UNDO_FILES, UNDO_FROM = "1" } = process.env;

test.skipIf(leftOut !== "")(
  `random histories are taken back to the byte, and what others did meanwhile stays${leftOut}`,
  async () => {
    let changed = 0;
    for (let seed = Number(UNDO_FROM); seed < Number(UNDO_FROM) + Number(UNDO_HISTORIES); seed += 1) {
      const random = randomFrom(seed);
      const { root, changes, run } = place(Number(UNDO_FILES ?? "60"), random);
      const first = picture(root);
      const steps: Step[] = [];
      let theirs = 0;
      for (let step = 0; step < 3 + Math.floor(5 * random()); step += 1) {
        const files = filesOf(root);
        const path = files[Math.floor(files.length * random())]!;
        const isEdit = random() < 0.3;
        steps.push(
          isEdit
            ? [call("write_file", { path, content: `written ${String(step)}` })]
            : command(commandFor(root, step, random)),
        );
        await run("s", steps.slice(-1));
        if (random() < 0.4) writeFileSync(join(root, `theirs-${String((theirs += 1))}`), "theirs");
      }
      if (changes.changed("s").length === 0) continue;
      changed += changes.changed("s").length;
      const { conflicts } = await changes.undo("s");
      const all = Object.entries(picture(root));
      const ours = all.filter(([path]) => !path.includes("theirs-"));
      // A command of the run may take a file of theirs.
      const isTheirs = ({ path }: { readonly path: string }): boolean => path.includes("theirs-");
      expect(
        conflicts.filter((one) => !isTheirs(one)),
        `seed ${String(seed)}: ${JSON.stringify(steps)}`,
      ).toEqual([]);
      expect(Object.fromEntries(ours), `seed ${String(seed)}: ${JSON.stringify(steps)}`).toEqual(first);
      expect(all.length - ours.length).toBe(theirs);
    }
    expect(changed).toBeGreaterThan(5 * Number(UNDO_HISTORIES));
  },
  120_000 + 10_000 * Number(UNDO_HISTORIES),
);

test.skipIf(leftOut !== "")(
  `the changes of a run are told from what others change while the end of a command is looked at${leftOut}`,
  async () => {
    const { root, changes, run } = place();
    for (let index = 0; index < 200; index += 1) fill(join(root, `part-${String(index)}`), 12, randomFrom(index));
    const theirs = Array.from({ length: 200 }, (_none, index) => join(root, `part-${String(index)}/theirs`));
    await run("s", [command("printf 1 > x")], (reply) => {
      if (reply !== 2) return;
      // The clock of files has steps: within one of them, nobody can tell the command's end from what comes after it.
      for (const end = Date.now() + 20; Date.now() < end;);
      for (const path of theirs) writeFileSync(path, "theirs");
    });
    expect(changes.changed("s")).toEqual(["x"]);
  },
);

/** `UNDO_RUNS=20 UNDO_FILES=20000 npx vitest run --project slow changes/histories -t "many commands"` has many more. */
const { UNDO_RUNS = "1" } = process.env;

const seeds = Array.from({ length: Number(UNDO_RUNS) }, (_none, index) => Number(UNDO_FROM) + index);

test.skipIf(leftOut !== "").each(seeds)(
  `a run of many commands in a large folder is taken back to the byte: seed %i${leftOut}`,
  async (seed) => {
    const random = randomFrom(seed);
    const root = newFolder();
    fill(root, Number(UNDO_FILES ?? "6000"), random);
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
      model: withBetween(scripted, async () => {
        // Somebody else is at work while the model answers. The system's clock for files may be some milliseconds late.
        await sleep(20);
        if (random() < 0.5) writeFileSync(join(root, `theirs-${String((theirs += 1))}`), "theirs");
        await sleep(Math.floor(100 * random()));
      }),
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
