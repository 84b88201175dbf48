// Comparing: one order of names on every machine.

/** By code units. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
