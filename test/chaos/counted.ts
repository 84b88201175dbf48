// The faults that a test went through: counted, so that none passes without them.

import { appendFileSync } from "node:fs";
import { expect } from "vitest";
import { isAll } from "./scale.js";

const { CHAOS_SEED, CHAOS_COUNTS } = process.env;

/** True if the seeds are enough to go through all that happens by chance. One seed alone is not, nor are the few of `npm run test:slow`. */
const isEnough = isAll && CHAOS_SEED === undefined;

/**
 * Counts what the test went through, under the fault's name, for the table that `npm run chaos` prints. There a test that passes without a
 * count fails the run.
 * @throws Error if it never happened: the test then says nothing.
 */
export function counted(fault: string, times: number): void {
  if (!(times > 0)) throw new Error(`${fault} never happened, so this test shows nothing.`);
  const test = expect.getState().currentTestName;
  if (CHAOS_COUNTS !== undefined) appendFileSync(CHAOS_COUNTS, `${JSON.stringify([fault, times, test])}\n`);
}

/** Counts, fault by fault, what a test goes through by chance: `did` for each time, and `end` once all seeds are through. */
export function tallyOf<Fault extends string>(
  faults: readonly Fault[],
): { readonly did: (fault: Fault) => void; readonly end: () => void } {
  const times = new Map<Fault, number>(faults.map((fault) => [fault, 0]));
  return {
    did: (fault) => void times.set(fault, (times.get(fault) ?? 0) + 1),
    end: () => {
      for (const [fault, many] of times) if (isEnough || many > 0) counted(fault, many);
    },
  };
}

/** The most seeds that follow if none of a part's seeds went through the fault: a part may have only two seeds. */
const mostMore = 12;

/**
 * Does the work with each seed, and counts the faults that it went through under this name. If none of them went through any, and they are
 * enough for it, later seeds follow until one does. An error says which seed it was, and how to see it again; `words` are some of the
 * test's name.
 * @throws Error if no seed went through any, and they are enough for it.
 */
export async function withEach(
  all: readonly number[],
  { fault, words }: { readonly fault: string; readonly words: string },
  work: (seed: number) => Promise<number>,
): Promise<void> {
  let times = 0;
  const one = async (seed: number): Promise<void> => {
    try {
      times += await work(seed);
    } catch (thrown) {
      const again = `npm run chaos -- --seed ${String(seed)} ${words}`;
      throw new Error(`Seed ${String(seed)} (${again}): ${String(thrown)}`, { cause: thrown });
    }
  };
  for (const seed of all) await one(seed);
  const last = all.at(-1) ?? 0;
  for (let more = 1; isEnough && times === 0 && more <= mostMore; more += 1) await one(last + more * 1000);
  if (isEnough || times > 0) counted(fault, times);
}
