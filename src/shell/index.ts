// Shells: run commands in their own process groups, with walls or without, and capture their output. Used by tools and
// checks; no entry point.

export { bubblewrap } from "./sandbox/bubblewrap.js";
export { capture, type Capture } from "./output/capture.js";
export { wholeLength } from "./output/characters.js";
export { plainVariables } from "./port/environment.js";
export { findSandbox, type Finding } from "./sandbox/find-sandbox.js";
export { hostShell } from "./host-shell.js";
export { hiddenMet } from "./places/hidden-met.js";
export { landlock } from "./sandbox/landlock.js";
export { collectPieces } from "./output/output.js";
export { sandboxExec } from "./sandbox/sandbox-exec.js";
export type { SandboxOptions } from "./sandbox/sandbox-options.js";
export { wallsMet } from "./sandbox/wall-signs.js";
export { describeExit, type CommandExit, type Shell, type ShellCommand } from "./port/shell.js";
