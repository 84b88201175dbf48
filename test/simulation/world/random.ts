// Random choices that follow from the seed alone.

import { randomFrom } from "../../chaos/scale.js";

/** A stream of choices. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** The choices of a seed. */
export function randomOf(seed: number): Random {
  const next = randomFrom(seed);
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    chance: (probability) => next() < probability,
    whole,
    pick: (items) => items[whole(0, items.length - 1)]!,
  };
}

/** A number in [0, 1) that follows from the words alone, so that a model says the same again. */
export function hashed(words: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < words.length; index += 1)
    hash = Math.imul(hash ^ words.charCodeAt(index), 0x01000193) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39) >>> 0;
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
