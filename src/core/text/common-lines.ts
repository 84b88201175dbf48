// Finds the lines that two texts share, in order, in bounded time (Myers' greedy algorithm).

/**
 * Differing lines that are compared. With more, the lines between the common start and the common end all count as
 * different.
 */
const maxDifferences = 1500;

/** For each line of `before`, the index of the same line in `after`; -1 if it was removed. */
export function commonLines(before: readonly string[], after: readonly string[]): Int32Array {
  const stays = new Int32Array(before.length).fill(-1);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) stays[start] = start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end += 1;
    stays[before.length - end] = after.length - end;
  }
  const middle = (lines: readonly string[]): readonly string[] => lines.slice(start, lines.length - end);
  for (const [x, y] of pairs(middle(before), middle(after))) stays[start + x] = start + y;
  return stays;
}

type Pair = readonly [number, number];

/** The pairs of equal lines on a shortest edit path between the texts. */
function pairs(a: readonly string[], b: readonly string[]): readonly Pair[] {
  const limit = Math.min(maxDifferences, a.length + b.length);
  /** The furthest x on each diagonal k = x - y, at the index `most + 1 + k`. */
  const furthest = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= limit; d += 1) {
    trace.push(furthest.slice(limit - d, limit + d + 3));
    for (let k = -d; k <= d; k += 2) {
      const at = limit + 1 + k;
      const isDown = k === -d || (k !== d && (furthest[at - 1] ?? 0) < (furthest[at + 1] ?? 0));
      let x = isDown ? (furthest[at + 1] ?? 0) : (furthest[at - 1] ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest[at] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a.length, b.length);
    }
  }
  return [];
}

function walkBack(trace: readonly Int32Array[], endX: number, endY: number): readonly Pair[] {
  const found: Pair[] = [];
  let [x, y] = [endX, endY];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const row = trace[d] ?? new Int32Array();
    const at = (k: number): number => row[k + d + 1] ?? 0;
    const k = x - y;
    const isDown = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromK = isDown ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(fromK);
    const fromY = d === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) found.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return found;
}
