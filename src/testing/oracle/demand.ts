// What must hold, or an Error whose words say what does not.

import { inspect, isDeepStrictEqual } from "node:util";

/** Throws an Error with these words unless the condition holds. */
export function demand(condition: boolean, words: string): asserts condition {
  if (!condition) throw new Error(words);
}

/** Throws an Error unless the two are deeply equal; it shows both. */
export function demandEqual(actual: unknown, expected: unknown, what: string): void {
  demand(isDeepStrictEqual(actual, expected), `${what}: expected ${show(expected)}, and it is ${show(actual)}`);
}

/** A value in one short line. */
export function show(value: unknown): string {
  const text = inspect(value, { depth: 6, breakLength: Infinity });
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
