/** Bytes of gzip that a program brings: with its first load, and in all. */
export interface Sizes {
  readonly first: number;
  readonly all: number;
}

/** The sizes that are over the budget and three per cent, in words. Default: the budget of bench/bundle-budget.json. */
export function overBudget(budget?: Readonly<Record<string, Partial<Sizes>>>): Promise<readonly string[]>;
