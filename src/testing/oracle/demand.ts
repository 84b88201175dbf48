// Assertions that throw an Error with a clear message.

import { inspect, isDeepStrictEqual } from "node:util";
import { cutTo } from "../../core/internal.js";

/** Throws an Error with this message unless the condition is true. */
export function demand(condition: boolean, words: string): asserts condition {
  if (!condition) throw new Error(words);
}

/** Throws an Error that shows both values unless they are deeply equal. */
export function demandEqual(actual: unknown, expected: unknown, what: string): void {
  demand(isDeepStrictEqual(actual, expected), `${what}: expected ${show(expected)}, and it is ${show(actual)}`);
}

/** A value as one line, cut to 400 characters. */
export function show(value: unknown): string {
  const text = inspect(value, { depth: 6, breakLength: Infinity });
  return cutTo(text, 401);
}
