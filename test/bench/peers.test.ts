// The comparison with peers: the kept result, and a page that says what it says.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  characters,
  ownArms,
  peers,
  withFigures,
  withRun,
  type Counts,
  type Result,
} from "../../bench/peers/index.mjs";

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
