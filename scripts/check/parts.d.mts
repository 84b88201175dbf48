/** One step of a check that has its turn: a command, slow test files, fast ones, or the tests over fetch if it has none of these. */
export interface Part {
  readonly name: string;
  readonly command?: readonly string[];
  readonly files?: readonly string[];
  readonly slow?: readonly string[];
}

export const slowInTurn: Readonly<
  Record<"commands" | "beside" | "examples" | "planted" | "killed" | "measured", readonly string[]>
>;
export const slowInThirds: readonly string[];
export const longestFirst: readonly string[];
export const slowOnBare: readonly string[];
export function commitOf(root: string): string;
export function filesAlike(root: string): readonly string[];
export function partsFor(
  commit: string,
  alike: readonly string[],
): {
  readonly chaos: string;
  readonly runtimes: string;
  readonly other: readonly Part[];
  readonly bare: readonly string[];
  readonly left: readonly string[];
  readonly turn: number;
};
