// A generator of numbers from a seed, so that a report has the same figures when it is made again.

/** Makes a function that returns numbers from 0 to 1, without 1. Equal seeds give equal numbers. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The elements in another order, which the seed decides. */
export function shuffled<Element>(elements: readonly Element[], seed: number): readonly Element[] {
  const random = randomFrom(seed);
  return elements
    .map((element) => ({ element, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ element }) => element);
}
