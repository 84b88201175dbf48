// Differences of two lists, such as the lines of two texts or the messages of two prompts.

/** A part of a difference: an item of both lists, of the first alone, or of the second alone. */
export interface Part<T> {
  readonly side: "both" | "first" | "second";
  readonly item: T;
}

/** The most cells of the table of a difference. Beyond it, the parts that differ are shown one list after the other. */
const mostCells = 4_000_000;

/** The difference of two lists by the keys of their items. What both begin and end with costs nothing. */
export function diff<T>(first: readonly T[], second: readonly T[], key: (item: T) => string): readonly Part<T>[] {
  const [a, b] = [first.map(key), second.map(key)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const both = (item: T): Part<T> => ({ side: "both", item });
  return [
    ...second.slice(0, start).map(both),
    ...middle({
      first: first.slice(start, first.length - end),
      second: second.slice(start, second.length - end),
      a: a.slice(start, a.length - end),
      b: b.slice(start, b.length - end),
    }),
    ...second.slice(second.length - end).map(both),
  ];
}

interface Middle<T> {
  readonly first: readonly T[];
  readonly second: readonly T[];
  readonly a: readonly string[];
  readonly b: readonly string[];
}

/** The longest common subsequence, walked from the front. */
function middle<T>({ first, second, a, b }: Middle<T>): readonly Part<T>[] {
  const removed = (item: T): Part<T> => ({ side: "first", item });
  const added = (item: T): Part<T> => ({ side: "second", item });
  if (a.length * b.length > mostCells) return [...first.map(removed), ...second.map(added)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const parts: Part<T>[] = [];
  let [i, j] = [0, 0];
  while (i < first.length && j < second.length) {
    if (a[i] === b[j]) {
      parts.push({ side: "both", item: second[j] as T });
      [i, j] = [i + 1, j + 1];
    } else if (at(i + 1, j) >= at(i, j + 1)) parts.push(removed(first[i++] as T));
    else parts.push(added(second[j++] as T));
  }
  return [...parts, ...first.slice(i).map(removed), ...second.slice(j).map(added)];
}
