// Rest: how far a secret goes on that was found, however long it is.

import { isOf, type Characters } from "./match.js";

/**
 * How far a secret goes on: the place where it is over, or, where more may come, `open` with the place up to which it is left out.
 * `before` is the code before `at`.
 */
export type Rest = (text: string, at: number, isWhole: boolean, before: number) => number;

/** The place, where a secret may go on behind it. Its own inverse. */
export function open(place: number): number {
  return -1 - place;
}

/** The rest of what is made of these characters. */
export function restOf(set: Characters): Rest {
  return (text, at, isWhole) => {
    let end = at;
    while (end < text.length && isOf(set, text.charCodeAt(end))) end += 1;
    return end < text.length || isWhole ? end : open(end);
  };
}
