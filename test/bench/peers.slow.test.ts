// The comparison with peers, run on two tasks: the characters, the arms and the counts.

import { join } from "node:path";
import { expect, test } from "vitest";
import { armOf, countsOf, knownTasks, ownArms, peersEvaluation, replyTo } from "../../bench/peers/index.mjs";
import { command } from "../../src/checks/index.js";
import { evaluation, truthSuite } from "../../src/evals/index.js";
import { createAgent } from "../../src/index.js";
import { openai } from "../../src/model/index.js";
import { allowAll } from "../../src/permission/index.js";
import { scriptedProvider, type ScriptedProvider } from "../../src/testing/index.js";
import { giveUp, taskCompletion, workspaceTools } from "../../src/tools/index.js";
import { drained, newFolder } from "../evals/world.js";

test(
  "a hasty model ends right behind a check, and a command is counted with its model",
  { timeout: 60_000 },
  async () => {
    const library = {
      ...{ createAgent, command, evaluation, openai, taskCompletion, giveUp, workspaceTools, allowAll },
    };
    const whole = truthSuite();
    const suite = { ...whole, tasks: whole.tasks.filter(({ id }) => ["solvable-1", "impossible-1"].includes(id)) };
    const known = await knownTasks(suite);
    await using provider: ScriptedProvider = await scriptedProvider(() =>
      replyTo(provider.requests.at(-1)!.body, known),
    );
    const program = join(newFolder(), "peer.mjs");
    const plan = peersEvaluation(library, {
      ...{ suite, url: provider.url, names: ["hasty"], node: "sh" },
      programs: [{ name: "shell", program }],
    });
    expect(Object.keys(plan.variants)).toEqual([...ownArms.map(({ name }) => name), "shell--hasty"]);
    expect(armOf({ variant: "shell--hasty", model: "command" })).toEqual({ harness: "shell", model: "hasty" });
    const { report } = await drained(plan, { base: newFolder() });
    const counts = countsOf(report);
    const of = (harness: string) => counts.find((each) => each.harness === harness);
    expect(of("none")).toMatchObject({ model: "hasty", trials: 2, completed: 2, false: 2, right: 0 });
    expect(of("weak")?.falseBy).toEqual({ held: 2 });
    expect(of("protected")).toMatchObject({ completed: 1, false: 0, right: 2, honestStops: 1, falseRefused: 2 });
  },
);
