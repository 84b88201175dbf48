// Random choices that follow from a seed alone, so that a run can be repeated.

/** The source of choices for one command: the seed of the run and the number of the command decide all of them. */
export function choices(seed, number) {
  let state = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)],
    /** One of the values of `[weight, value]` pairs. */
    weighted(pairs) {
      let left = next() * pairs.reduce((sum, [weight]) => sum + weight, 0);
      return (pairs.find(([weight]) => (left -= weight) < 0) ?? pairs.at(-1))[1];
    },
    /** A list of `count` results. */
    times: (count, make) => Array.from({ length: count }, make),
  };
}
