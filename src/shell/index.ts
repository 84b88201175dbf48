// Shells: run commands in process groups of their own, with walls or without, and capture their output. Used by tools
// and checks; no entry point.

export { bubblewrap, findSandbox, type Finding, type SandboxOptions } from "./sandbox/bubblewrap.js";
export { capture, type Capture } from "./output/capture.js";
export { wholeLength } from "./output/characters.js";
export { plainVariables } from "./port/environment.js";
export { hostShell } from "./host-shell.js";
export { collectPieces } from "./output/output.js";
export { wallsMet } from "./sandbox/wall-signs.js";
export { describeExit, type CommandExit, type Shell, type ShellCommand } from "./port/shell.js";
