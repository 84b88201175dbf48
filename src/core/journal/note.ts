// A note that the model writes for itself.

/** The current version of one note. */
export interface Note {
  /** `n1`, `n2` and so on, in the order in which the notes were added. */
  readonly id: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** True if the note no longer holds. A search still finds it, but it is not shown by itself. */
  readonly scratched: boolean;
}
