/** One step of a check that has its turn: a command, or fast test files, or the tests over fetch if it has neither. */
export interface Part {
  readonly name: string;
  readonly command?: readonly string[];
  readonly files?: readonly string[];
}

export function commitOf(root: string): string;
export function filesAlike(root: string): readonly string[];
export function partsFor(
  commit: string,
  alike: readonly string[],
): { readonly chaos: string; readonly other: readonly Part[] };
