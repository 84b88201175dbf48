// Runs and undos that are killed at any time: the workspace is as it was in the end, and what others did stays.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { randomFrom } from "../../chaos/scale.js";
import { commandFor, fill, leftOut, newFolder, picture } from "./world.js";

const victim = join(import.meta.dirname, "changes-victim.mjs");

/** Starts the process, and kills it after so many milliseconds from its first word. Returns all its words. */
async function life(words: object, killAfter?: number): Promise<string> {
  const child = spawn(process.execPath, [victim, JSON.stringify(words)], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const closed = once(child, "close");
  if (killAfter !== undefined) {
    await Promise.race([once(child.stdout, "data"), closed]);
    await Promise.race([sleep(killAfter), closed]);
    child.kill("SIGKILL");
  }
  await closed;
  return said;
}

test.skipIf(leftOut !== "")(
  `a run and its undo that are killed again and again leave the workspace as it was${leftOut}`,
  async () => {
    let [kills, midway] = [0, 0];
    for (let seed = 1; seed <= 6; seed += 1) {
      const random = randomFrom(seed);
      const root = newFolder();
      fill(root, 60, random);
      const [folder, store] = [newFolder(), newFolder()];
      const first = picture(root);
      const commands = Array.from(
        { length: 6 },
        (_none, step) => `${commandFor(root, step, random)}; sleep 0.05; printf ${String(step)} >> log`,
      );
      const words = { root, folder, store, commands };
      const toEnd = async (mode: string, longest: number, mostKills: number): Promise<string> => {
        for (let kill = 0; kill < mostKills; kill += 1) {
          const said = await life({ ...words, mode }, longest * random());
          if (/completed|changed/.test(said)) return said;
          kills += 1;
          if (/step|up/.test(said)) midway += 1;
          // The command that the process left ends, and only then somebody else works here.
          if (mode === "run") await sleep(1600);
          if (mode === "run") writeFileSync(join(root, `theirs-${String(kills)}`), "theirs");
        }
        return life({ ...words, mode });
      };
      expect(await toEnd("run", 500, 4)).toContain("completed");
      const after = picture(root);
      expect(after["log"]).toBeDefined();
      for (const mode of ["undo", "redo", "undo"]) {
        const told = JSON.parse((await toEnd(mode, 30, 3)).split("\n")[1] ?? "") as object;
        // The process before was killed when all was done, and the next says that nothing is left.
        if (!("thrown" in told)) expect(told).toMatchObject({ conflicts: [] });
        const now = picture(root);
        if (mode === "redo") expect(now).toEqual(after);
        else {
          const ours = Object.entries(now).filter(([path]) => !path.startsWith("theirs-"));
          expect(Object.fromEntries(ours), `seed ${String(seed)}: ${JSON.stringify(commands)}`).toEqual(first);
        }
      }
    }
    expect(kills).toBeGreaterThan(20);
    expect(midway).toBeGreaterThan(10);
  },
  300_000,
);

test.skipIf(leftOut !== "").each([
  [{ files: 3, commands: 3 }, "completed"],
  [{ files: 2 }, "stopped"],
  [{ commands: 2 }, "stopped"],
])(`caps of a run that is killed count on in the process that goes on with it: %j${leftOut}`, async (caps, ending) => {
  const commands = ["echo > a", "echo > b; kill -9 $PPID", "echo > c"];
  const words = { root: newFolder(), folder: newFolder(), store: newFolder(), commands, mode: "run", caps };
  expect(await life(words)).not.toMatch(/completed|stopped/);
  expect(await life(words)).toContain(`${ending}\n`);
});
