// Medians with their spread, and ratios taken round by round.

/** The median of a list of numbers. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median with the smallest and the largest number, or undefined if there are none. */
export function spread(numbers) {
  if (numbers.length === 0) return undefined;
  return { median: median(numbers), low: Math.min(...numbers), high: Math.max(...numbers) };
}

/** The spread of the ratios of two lists, which are paired by round. Rounds that one of them lacks do not count. */
export function ratios(numbers = [], baseline = []) {
  return spread(numbers.slice(0, baseline.length).map((number, round) => number / baseline[round]));
}
