// A note that the model keeps for itself.

/** One note, as it stands. */
export interface Note {
  /** `n1`, `n2` and so on, in the order in which they were added. */
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** True where it no longer holds: it can be found, and is not shown by itself. */
  readonly scratched: boolean;
}
