// How much chaos there is: a quick part in `npm run test:slow`, all of it or one of its parts in `npm run chaos`, and one seed again.

const { CHAOS, CHAOS_SEED, CHAOS_FROM = "1", CHAOS_PART } = process.env;

/** True in `npm run chaos`, also for one of its parts. */
export const isAll: boolean = CHAOS === "all";

/** Of `npm run chaos -- --part 2/5`: which part, from 1, and of how many. All of it is the only part. */
const [part, parts] = /^\d+\/\d+$/.test(CHAOS_PART ?? "")
  ? (CHAOS_PART!.split("/").map(Number) as [number, number])
  : [1, 1];

/** The items of this part: every fifth one if there are five parts. There may be fewer items than parts: then a part has one of them. */
function ofPart<Item>(items: readonly Item[]): readonly Item[] {
  const own = (part - 1) % Math.min(parts, Math.max(items.length, 1));
  return items.filter((_item, index) => index % parts === own);
}

/** True if a test that can't be divided has its full size: in `npm run chaos`, and of its parts in the one with this number, from 1. */
export function isFull(own: number): boolean {
  return isAll && (own - 1) % parts === part - 1;
}

/** How often a test does what it does: `all` times in `npm run chaos`, and in each of its parts a small share of that. */
export function share(quick: number, all: number): number {
  return isAll ? Math.max(quick, Math.ceil(all / parts ** 2)) : quick;
}

/** The seeds to run: a few in `npm run test:slow`, all seeds of the part from `--from N` on in `npm run chaos`, or the seed of `--seed N`. */
export function seeds(quick: number, all: number): readonly number[] {
  if (CHAOS_SEED !== undefined) return [Number(CHAOS_SEED)];
  const whole = upTo(isAll ? all : quick).map((index) => index + Number(CHAOS_FROM));
  return isAll ? ofPart(whole) : whole;
}

/** In `npm run chaos` every item, or those of the part; else at most `quick` of them, two or more, evenly spread, from the first to the last. */
export function some<Item>(items: readonly Item[], quick: number): readonly Item[] {
  if (isAll) return ofPart(items);
  if (items.length <= quick) return items;
  const stride = (items.length - 1) / (quick - 1);
  return Array.from({ length: quick }, (_none, index) => items[Math.round(index * stride)]!);
}

/** The whole numbers from 0 up to, and without, `end`. */
export function upTo(end: number): readonly number[] {
  return Array.from({ length: end }, (_none, index) => index);
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

/**
 * The places from 0 up to `end` at which something is to happen: `some` of them, or the one of `npm run chaos -- --seed N`. A number that is
 * too large starts again from 0.
 * @throws Error if there is none.
 */
export function places(end: number, quick: number): readonly number[] {
  const all = CHAOS_SEED !== undefined ? [Number(CHAOS_SEED) % end] : some(upTo(end), quick);
  if (!(end > 0) || all.length === 0)
    throw new Error(`There is no place for it: of ${String(end)} none is in this part.`);
  return all;
}

/** The run had fewer places. */
export class MissedPlace extends Error {
  readonly count: number;

  constructor(what: string, at: number, count: number) {
    super(`The ${what} ${String(at)} was not met: there were ${String(count)}.`);
    this.count = count;
  }
}

/** The number of times that a run may miss its place: records that come close together are stored at once, and the time between them varies. */
const tries = 5;

/**
 * Runs with something at each place of a run, or at some: see `places`. `run` gets the number of the place, from 1, or Infinity, and returns
 * how many there were; it throws a `MissedPlace` if it had fewer. A place that is missed again and again is one of the last, which not every
 * run has. Returns how many places it met.
 * @throws Error if a run has not more than `least` places.
 */
export async function atEachOf(
  { least, quick }: { readonly least: number; readonly quick: number },
  run: (at: number) => Promise<number>,
): Promise<number> {
  const counts = [await run(Infinity), await run(Infinity), await run(Infinity)];
  let fewest = Math.min(...counts);
  let met = 0;
  await atEach(places(fewest, quick), async (place) => {
    for (let time = 1; time <= tries; time += 1) {
      try {
        await run(place + 1);
        met += 1;
        return;
      } catch (thrown) {
        if (!(thrown instanceof MissedPlace)) throw thrown;
        fewest = Math.min(fewest, thrown.count);
      }
    }
  });
  if (!(fewest > least)) throw new Error(`A run had ${String(fewest)} places, and more than ${String(least)} are due.`);
  return met;
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
