// The chance that one of k trials passes, and that all of k pass: unbiased estimates from n trials.

/** The unbiased estimate that at least one of `k` trials passes. Undefined if there are fewer trials than `k`. */
export function passAt(trials: number, passed: number, k: number): number | undefined {
  return k > trials ? undefined : 1 - ways(trials - passed, k) / ways(trials, k);
}

/** The unbiased estimate that all of `k` trials pass. Undefined if there are fewer trials than `k`. */
export function passHat(trials: number, passed: number, k: number): number | undefined {
  return k > trials ? undefined : ways(passed, k) / ways(trials, k);
}

/** The number of ways to choose `k` of `n`. */
function ways(n: number, k: number): number {
  if (k > n) return 0;
  let product = 1;
  for (let index = 0; index < k; index += 1) product = (product * (n - index)) / (index + 1);
  return product;
}
