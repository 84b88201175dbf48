// The intervals and the gate hold what they say: simulated evals with a known truth.

import { expect, test } from "vitest";
import { differenceOf, type Pair } from "../../../src/evals/figures/difference.js";
import { randomFrom } from "../../../src/evals/figures/random.js";
import { alarmsOf } from "../../../src/evals/figures/verdict.js";
import { rateOf, wilson, type Counted } from "../../../src/evals/figures/wilson.js";

const evals = 4000;

/** Draws from the gamma distribution by Marsaglia and Tsang. */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * random() ** (1 / shape);
  const scale = shape - 1 / 3;
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
    const cube = (1 + normal / Math.sqrt(9 * scale)) ** 3;
    if (cube <= 0) continue;
    if (Math.log(random() + 1e-300) < 0.5 * normal * normal + scale - scale * cube + scale * Math.log(cube))
      return scale * cube;
  }
}

/** The difficulty of a task, from the beta distribution. */
function difficulty([a, b]: readonly [number, number], random: () => number): number {
  const first = gamma(a, random);
  return first / (first + gamma(b, random));
}

function tried(chance: number, trials: number, random: () => number): Counted {
  let passed = 0;
  for (let trial = 0; trial < trials; trial += 1) if (random() < chance) passed += 1;
  return { trials, passed };
}

const settings = [
  [10, 3, 1, 1],
  [10, 3, 9, 1],
  [20, 5, 0.5, 0.5],
  [20, 5, 9.5, 0.5],
  [50, 3, 1, 1],
  [50, 3, 19, 1],
] as const;

test.each(settings)(
  "the interval of %i tasks with %i trials, difficulty Beta(%d, %d), holds the truth",
  (tasks, trials, a, b) => {
    const random = randomFrom(42);
    const truth = a / (a + b);
    let [held, narrow] = [0, 0];
    for (let run = 0; run < evals; run += 1) {
      const counted = Array.from({ length: tasks }, () => tried(difficulty([a, b], random), trials, random));
      const [low, high] = rateOf(counted).interval;
      if (low <= truth && truth <= high) held += 1;
      if (low < 0 || high > 1 || high - low <= 0) narrow += 1;
    }
    expect(held / evals).toBeGreaterThanOrEqual(0.93);
    expect(held / evals).toBeLessThanOrEqual(0.98);
    expect(narrow).toBe(0);
  },
);

test("an interval that takes trials of a task as independent would miss the truth in every fourth eval", () => {
  const random = randomFrom(42);
  let held = 0;
  for (let run = 0; run < evals; run += 1) {
    const counted = Array.from({ length: 20 }, () => tried(difficulty([0.5, 0.5], random), 5, random));
    const passed = counted.reduce((sum, one) => sum + one.passed, 0);
    const [low, high] = wilson(passed, 100);
    if (low <= 0.5 && 0.5 <= high) held += 1;
  }
  expect(held / evals).toBeLessThan(0.8);
});

/** Evals of 20 tasks with 5 trials on each side, with a true drop of every task. */
function alarms(count: number, drop: number): { readonly gate: number; readonly fell: number } {
  const random = randomFrom(7);
  let [gate, fell] = [0, 0];
  for (let run = 0; run < count; run += 1) {
    const pairs = Array.from({ length: 20 }, (): Pair => {
      const chance = difficulty([4, 1], random);
      return { before: tried(chance, 5, random), now: tried(Math.max(0, chance - drop), 5, random) };
    });
    const difference = differenceOf(pairs, run);
    if (alarmsOf([difference], 0.02)[0] === true) gate += 1;
    if (difference.difference < 0) fell += 1;
  }
  return { gate: gate / count, fell: fell / count };
}

test("the gate raises false alarms in at most 6 % of 1,000 unchanged evals, and 'the score fell' in over 40 %", () => {
  const { gate, fell } = alarms(1000, 0);
  expect(gate).toBeLessThanOrEqual(0.06);
  expect(fell).toBeGreaterThan(0.4);
});

test("the gate sees a drop of 20 points in more than 80 % of evals", () => {
  expect(alarms(150, 0.2).gate).toBeGreaterThan(0.8);
});
