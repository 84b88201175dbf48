// The tiers of permission.

/**
 * The most that a run may do. `read-only`: read inside the root, and run commands that only read and print.
 * `workspace-write`: also write inside the root; other commands need approval. `full-access`: everything, without
 * approval.
 */
export type Tier = "read-only" | "workspace-write" | "full-access";
