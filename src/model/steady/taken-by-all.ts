// The media types that each of several models takes.

import { takesType } from "../../core/internal.js";

/** The patterns of media types that every list takes. A list that is undefined takes all; undefined if no list is known. */
export function takenByAll(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const known = lists.filter((list) => list !== undefined);
  if (known.length === 0) return undefined;
  return [...new Set(known.flat())].filter((pattern) => known.every((list) => takesType(list, pattern)));
}
