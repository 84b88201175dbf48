// The nearest name: what a person most likely meant by a mistyped word.

/** The name that the word is a misspelling of; undefined if there is none. Names of up to 6 letters may have one slip, longer names two. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const [best] = names
    .map((name) => ({ name, slips: slipsBetween(typed, name) }))
    .filter(({ name, slips }) => slips <= (name.length > 6 ? 2 : 1))
    .sort((one, other) => one.slips - other.slips);
  return best?.name;
}

/** The smallest number of slips between two words: a letter more, a letter less, another letter, or two neighbours that changed places. */
function slipsBetween(one: string, other: string): number {
  const table: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => table[row]?.[column] ?? Infinity;
  for (let row = 1; row <= one.length; row += 1) {
    table[row] = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const slips = [at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1)];
      if (isSwap) slips.push(at(row - 2, column - 2) + 1);
      table[row]?.push(Math.min(...slips));
    }
  }
  return at(one.length, other.length);
}
