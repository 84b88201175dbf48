// The tiers of permission.

/**
 * What a run may do at most. `read-only`: read inside the root, and commands that only read and print. `workspace-write`: write
 * inside the root as well; other commands are asked about. `full-access`: everything, without asking.
 */
export type Tier = "read-only" | "workspace-write" | "full-access";
