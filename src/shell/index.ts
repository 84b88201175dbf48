// The shell: commands in process groups of their own, and what they print kept within bounds. Behind tools and checks; no entry.

export { wholeLength } from "./characters.js";
export { plainVariables } from "./environment.js";
export { collectPieces, keepEnds } from "./output.js";
export { describeEnding, runShell, type Ending } from "./run-shell.js";
