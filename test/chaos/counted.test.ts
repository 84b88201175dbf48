// A test of the chaos suite can't pass without what it is about, and the parts of the suite together are all of it.

import { afterEach, expect, test, vi } from "vitest";
import type * as Scale from "./scale.js";

/** The scale of the part, as a run of the suite has it. */
async function scaleOf(part: string, seed?: string): Promise<typeof Scale> {
  vi.resetModules();
  vi.stubEnv("CHAOS", "all");
  vi.stubEnv("CHAOS_PART", part);
  vi.stubEnv("CHAOS_SEED", seed);
  return import("./scale.js");
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

test("a fault that never happened is an error, whoever counts it", async () => {
  await scaleOf("1/5");
  const { counted, tallyOf, withEach } = await import("./counted.js");
  expect(() => {
    counted("a kill", 0);
  }).toThrow("a kill never happened");
  const tally = tallyOf(["a kill", "a fork"]);
  tally.did("a kill");
  expect(tally.end).toThrow("a fork never happened");
  const nothing = withEach([1, 2], { fault: "a kill", words: "x" }, () => Promise.resolve(0));
  await expect(nothing).rejects.toThrow("a kill never happened");
});

test("where none of a part's few seeds went through the fault, later seeds follow until one does", async () => {
  await scaleOf("8/8");
  const { withEach } = await import("./counted.js");
  const tried: number[] = [];
  await withEach([8, 16], { fault: "a kill", words: "x" }, (seed) => {
    tried.push(seed);
    return Promise.resolve(seed > 2000 ? 1 : 0);
  });
  expect(tried).toEqual([8, 16, 1016, 2016]);
});

test("five parts have every seed and every place once, and a test that can't be divided is whole in one of them", async () => {
  const parts: Awaited<ReturnType<typeof scaleOf>>[] = [];
  for (const part of [1, 2, 3, 4, 5]) parts.push(await scaleOf(`${String(part)}/5`));
  const whole = await scaleOf("1/1");
  expect(parts.flatMap(({ seeds }) => seeds(2, 23)).toSorted((a, b) => a - b)).toEqual(whole.seeds(2, 23));
  expect(parts.flatMap(({ places }) => places(17, 2)).toSorted((a, b) => a - b)).toEqual(whole.places(17, 2));
  expect(parts.map(({ isFull }) => isFull(3))).toEqual([false, false, true, false, false]);
  expect(parts.map(({ share }) => share(1, 23))).toEqual([1, 1, 1, 1, 1]);
  expect([whole.isFull(3), whole.share(1, 23)]).toEqual([true, 23]);
});

test("a seed that is larger than the number of places is still a place, and no place at all is an error", async () => {
  const { places } = await scaleOf("1/1", "351");
  expect(places(100, 2)).toEqual([51]);
  expect(() => places(0, 2)).toThrow("There is no place");
});

test("of fewer places than parts, each part has one", async () => {
  const { places } = await scaleOf("5/5");
  expect(places(3, 2)).toEqual([1]);
  expect(places(1, 2)).toEqual([0]);
});
