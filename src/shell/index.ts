// Shells: run commands in process groups of their own, with walls or without, and capture their output. Used by tools
// and checks; no entry point.

export { bubblewrap, findSandbox, type Finding, type SandboxOptions } from "./bubblewrap.js";
export { capture, type Capture } from "./capture.js";
export { wholeLength } from "./characters.js";
export { plainVariables } from "./environment.js";
export { hostShell } from "./host-shell.js";
export { collectPieces } from "./output.js";
export { describeExit, type CommandExit, type Shell, type ShellCommand } from "./shell.js";
