// What a tool does to the world, and how a call of it ends a run.

/**
 * What a tool does to the world. `none`: nothing outside the process. `read`, `write`, `execute`, `network`: as the
 * words say. Calls of one reply that only `read` and follow each other run side by side, up to four; all others one after the
 * other. A tool that declares nothing is trusted to run, and is journaled as if it executed something.
 */
export type Effect = "none" | "read" | "write" | "execute" | "network";

/** How a run ends when a call of the tool is accepted; `never` for a tool that ends nothing. */
export type ToolEnding = "completed" | "waiting" | "stopped" | "never";
