// The effect of a tool on the world, and the way in which its calls end a run.

/**
 * The effect of a tool on the world. `none`: it changes and reads nothing outside the process. `read`: it reads. `write`: it
 * changes files or data. `execute`: it runs commands. `network`: it uses the network. Consecutive `read` calls of one reply run in
 * parallel, at most `maxParallelReads` of the agent at a time. All other calls run one after the other. A tool without a declared effect
 * may run without approval, and the journal treats it like `execute`.
 */
export type Effect = "none" | "read" | "write" | "execute" | "network";

/**
 * The status of a run that ends with an accepted call; `never` for a tool that does not end runs, `handed-over` for a tool that passes
 * the run to another agent.
 */
export type ToolEnding = "completed" | "waiting" | "stopped" | "handed-over" | "never";

/** The ending of a tool whose accepted call ends the run. */
export type RunEnding = Exclude<ToolEnding, "never" | "handed-over">;
