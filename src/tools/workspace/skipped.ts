// Folders whose content is seldom what anyone looks for.

/** Left out of lists and searches. One that is asked for by its own path is not. */
export const skipped: readonly string[] = [".git", "node_modules"];
