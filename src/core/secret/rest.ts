// The rest of a secret that was found: its end, for secrets of any length.

import { isOf, type Characters } from "./match.js";

/**
 * Finds the end of a secret that continues at the index `at`. Returns the index of its end. If more of the secret may come, returns
 * `open(index)`, where `index` is the end of the part known so far. `before` is the character code before `at`.
 */
export type Rest = (text: string, at: number, isWhole: boolean, before: number) => number;

/** Encodes an index as "the secret may continue after it". The function is its own inverse. */
export function open(index: number): number {
  return -1 - index;
}

/** The rest of a secret that consists of these characters. */
export function restOf(set: Characters): Rest {
  return (text, at, isWhole) => {
    let end = at;
    while (end < text.length && isOf(set, text.charCodeAt(end))) end += 1;
    return end < text.length || isWhole ? end : open(end);
  };
}
