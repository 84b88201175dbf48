// Folders whose content is seldom wanted.

/** Left out of lists and searches, unless the call names the folder itself. */
export const skipped: readonly string[] = [".git", "node_modules"];
