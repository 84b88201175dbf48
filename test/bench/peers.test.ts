// The comparison with peers: the characters, the counts, and a page that says what the kept result says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  armOf,
  characters,
  countsOf,
  ownArms,
  peers,
  peersEvaluation,
  withFigures,
  withRun,
  type Counts,
  type Result,
} from "../../bench/peers/index.mjs";
import { knownTasks, replyTo } from "../../bench/peers/index.mjs";
import { command } from "../../src/checks/index.js";
import { evaluation, truthSuite } from "../../src/evals/index.js";
import { createAgent } from "../../src/index.js";
import { openai } from "../../src/model/index.js";
import { allowAll } from "../../src/permission/index.js";
import { scriptedProvider, type ScriptedProvider } from "../../src/testing/index.js";
import { giveUp, taskCompletion, workspaceTools } from "../../src/tools/index.js";
import { drained, newFolder } from "../evals/world.js";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/how-often-is-done-not-done.md"), "utf8");
const kept = JSON.parse(readFileSync(join(root, "bench/peers/result.json"), "utf8")) as Result;

test("the page has the figures of the kept result, which two runs have shown", async () => {
  const { format } = await import("prettier");
  expect(kept.seenAt.length).toBeGreaterThanOrEqual(2);
  expect(await format(withFigures(page, kept), { parser: "markdown", printWidth: 120 })).toBe(page);
});

test("the kept result is about all arms, peers and characters, and nothing in it is void", () => {
  const arms = [...ownArms, ...peers].map(({ name }) => name);
  for (const harness of arms) {
    for (const model of Object.keys(characters)) {
      const found = kept.counts.find((each) => each.harness === harness && each.model === model);
      expect(found, `${harness} ${model}`).toMatchObject({ trials: kept.tasks, void: 0 });
    }
  }
  const of = (harness: string, model: string): Counts =>
    kept.counts.find((each) => each.harness === harness && each.model === model)!;
  expect(of("none", "liar").false).toBe(kept.tasks);
  expect(of("weak", "liar").falseBy).toEqual({ held: kept.tasks });
  for (const model of Object.keys(characters)) {
    expect(of("protected", model).false).toBe(0);
    for (const { name } of ownArms) expect(of(name, model).trueRefused).toBe(0);
  }
});

test("figures stand once a second run has shown the same, and begin anew with other figures", () => {
  const { seenAt: _, ...figures } = kept;
  const once = withRun(undefined, { at: "2026-01-01", ...figures });
  expect(() => withFigures(page, once)).toThrow("were seen once");
  const twice = withRun(once, { at: "2026-01-02", ...figures });
  expect(twice.seenAt).toEqual(["2026-01-01", "2026-01-02"]);
  const other = withRun(twice, { at: "2026-01-03", ...figures, tasks: 1 });
  expect(other.seenAt).toEqual(["2026-01-03"]);
  expect(() => withFigures("no place", twice)).toThrow("needs one line");
});

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
