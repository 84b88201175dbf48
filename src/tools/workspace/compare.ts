// Orders names the same way on every machine.

/** Compares by code units. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
