// Counts the lines that a replacement adds and removes, in bounded time.

/** Pairs of lines to compare at most. In larger texts, all lines between the equal beginning and the equal end count as changed. */
const maxPairs = 250_000;

/** The number of lines that are added and removed when the second text replaces the first. Values that are not texts count as 0. */
export function changedLines(before: unknown, after: unknown): readonly [added: number, removed: number] {
  if (typeof before !== "string" || typeof after !== "string") return [0, 0];
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  const shorter = Math.min(old.length, fresh.length) - start;
  while (end < shorter && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const middle = (lines: readonly string[]): readonly string[] => lines.slice(start, lines.length - end);
  const [removed, added] = [middle(old), middle(fresh)];
  const kept = removed.length * added.length > maxPairs ? 0 : commonLength(removed, added);
  return [added.length - kept, removed.length - kept];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** The length of the longest common subsequence of lines. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    for (const [at, other] of b.entries())
      next.push(line === other ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}
