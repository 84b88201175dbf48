// A quick part of `npm run simulate`: seeds that hold, seeds that come out the same again, and bugs that the checks find.

import { describe, expect, test } from "vitest";
import { buildSimulation } from "../../scripts/simulate-build.mjs";
import { simulate, type Simulated } from "./simulate.js";
import { bugNames, bugs, type Bug, type Planted } from "./world/planted.js";

/** The simulation in which a bug is planted: a bundle of its own for a bug of a source. */
async function simulationWith(bug: Bug): Promise<typeof simulate> {
  const { plant }: Planted = bugs[bug];
  if (plant === undefined) return simulate;
  const bundle = (await import(await buildSimulation(`test-${bug}`, plant))) as { readonly simulate: typeof simulate };
  return bundle.simulate;
}

/**
 * The bugs of sources that 100 seeds show, each with a seed that showed it when this was written: it is tried first, since the search is
 * most of the work. `npm run simulate -- --planted` plants the others, too.
 */
const quick: Readonly<Partial<Record<Bug, number>>> = { "engine-error": 8, "same-name": 6, "approval-waits": 176 };
const around = bugNames.filter((bug) => !("plant" in bugs[bug]));

/** The seeds without a bug that were simulated already: `simulate` gives the same again, as a test shows. */
const sound = new Map<number, Simulated>();

/** A machine that does much else at the same time needs many times as long as a quiet one. */
const patience = 300_000;

/** The first of the seeds with a finding; undefined if none has one. */
async function firstWith(seeds: readonly number[], planted?: Bug): Promise<string | undefined> {
  const simulated = planted === undefined ? simulate : await simulationWith(planted);
  for (const seed of seeds) {
    const came = await simulated(seed, planted);
    if (planted === undefined) sound.set(seed, came);
    const { findings } = came;
    if (findings.length > 0)
      return `seed ${String(seed)} (npm run simulate -- --seed ${String(seed)}): ${findings.join("; ")}`;
  }
  return undefined;
}

const hundred = Array.from({ length: 100 }, (_none, index) => index + 1);

test(
  "no lost input, no effect twice, no two writers, every run ends, and amounts and limits hold, in 100 seeds",
  async () => {
    expect(await firstWith(hundred)).toBeUndefined();
  },
  patience,
);

test(
  "a seed comes out the same again, byte for byte, whatever was simulated before it",
  async () => {
    const first = [];
    for (const seed of [1, 2, 3, 100]) first.push(sound.get(seed) ?? (await simulate(seed)));
    for (const before of first.toReversed()) {
      await simulate(7);
      const again = await simulate(before.seed);
      expect(again.digest).toBe(before.digest);
      expect(again.journals).toEqual(before.journals);
      expect(again.counts).toEqual(before.counts);
    }
  },
  patience,
);

test("a simulation leaves the clock and the timers of the platform as they were", async () => {
  const before = [
    Date.now,
    setTimeout,
    setInterval,
    setImmediate,
    performance.now,
    crypto.randomUUID,
    crypto.subtle.digest,
  ];
  await simulate(1);
  expect([
    Date.now,
    setTimeout,
    setInterval,
    setImmediate,
    performance.now,
    crypto.randomUUID,
    crypto.subtle.digest,
  ]).toEqual(before);
});

describe("a planted bug is found within 100 seeds:", () => {
  test.each([...around, ...(Object.keys(quick) as Bug[])])(
    "%s",
    async (bug) => {
      expect(await firstWith([...[quick[bug] ?? []].flat(), ...hundred], bug)).toMatch(/^seed \d+ /);
    },
    patience,
  );
});

/** The bugs that leave journals and effects as a sound store may leave them: ADR 0066 says why. */
const unseen: readonly Bug[] = ["early-release", "skewed-clock"];

describe("without the database's list of leases, a planted bug is found within 100 seeds:", () => {
  test.each(around.filter((bug) => !unseen.includes(bug)))(
    "%s",
    async (bug) => {
      let found = 0;
      for (let seed = 1; seed <= 100 && found === 0; seed += 1) {
        const { findings, facts } = await simulate(seed, bug);
        found = findings.length - facts.length;
      }
      expect(found).toBeGreaterThan(0);
    },
    patience,
  );
});
