// How much chaos there is: a quick part in `npm test`, all of it in `npm run chaos`, and one seed where it is to be seen again.

import { appendFileSync } from "node:fs";

const { CHAOS, CHAOS_SEED, CHAOS_COUNTS } = process.env;

/** True in `npm run chaos`. */
export const isAll: boolean = CHAOS === "all";

/** The seeds to run: the first few in `npm test`, all of them in `npm run chaos`, or the one of `npm run chaos -- --seed N`. */
export function seeds(quick: number, all: number): readonly number[] {
  if (CHAOS_SEED !== undefined) return [Number(CHAOS_SEED)];
  return Array.from({ length: isAll ? all : quick }, (_none, index) => index + 1);
}

/** Every item in `npm run chaos`; in `npm test` at most `quick` of them, evenly spread, the first and the last included. */
export function some<Item>(items: readonly Item[], quick: number): readonly Item[] {
  if (isAll || items.length <= quick) return items;
  const stride = (items.length - 1) / (quick - 1);
  return Array.from({ length: quick }, (_none, index) => items[Math.round(index * stride)]!);
}

/** The whole numbers from 0 up to, and without, `end`. */
export function upTo(end: number): readonly number[] {
  return Array.from({ length: end }, (_none, index) => index);
}

/** Counts what was gone through, under the fault's name, for the table that `npm run chaos` prints. */
export function counted(fault: string, times: number): void {
  if (CHAOS_COUNTS !== undefined) appendFileSync(CHAOS_COUNTS, `${JSON.stringify([fault, times])}\n`);
}

/** Numbers from 0 up to 1 that follow from the seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The places from 0 up to `end` at which something is to happen: `some` of them, or the one of `npm run chaos -- --seed N`. */
export function places(end: number, quick: number): readonly number[] {
  if (CHAOS_SEED !== undefined) return [Number(CHAOS_SEED)].filter((place) => place < end);
  return some(upTo(end), quick);
}

/** Does the work at each place, one after the other. What goes wrong says at which, and how to see it again. */
export async function atEach(all: readonly number[], work: (place: number) => Promise<unknown>): Promise<void> {
  for (const place of all) {
    try {
      await work(place);
    } catch (thrown) {
      const again = `npm run chaos -- --seed ${String(place)} and the words of this test`;
      throw new Error(`At ${String(place)} (again: ${again}): ${(thrown as Error).message}`, { cause: thrown });
    }
  }
}

/**
 * Does the work with each seed, and counts the faults that it went through under this name. An error says which seed it was, and how to see
 * it again; `words` are some of the test's name.
 */
export async function withEach(
  all: readonly number[],
  { fault, words }: { readonly fault: string; readonly words: string },
  work: (seed: number) => Promise<number>,
): Promise<void> {
  for (const seed of all) {
    try {
      counted(fault, await work(seed));
    } catch (thrown) {
      const again = `npm run chaos -- --seed ${String(seed)} ${words}`;
      throw new Error(`Seed ${String(seed)} (${again}): ${String(thrown)}`, { cause: thrown });
    }
  }
}
