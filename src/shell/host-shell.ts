// The host's shell: runs commands without walls.

import { runProcess } from "./process/run-process.js";
import { shellProgram, type Shell } from "./port/shell.js";

/**
 * Both streams go to one pipe, because two pipes would lose the order of the writes. `--` because a command may start
 * with a `-`.
 */
const joinStreams = `exec ${shellProgram} -c -- "$0" 2>&1`;

/**
 * The shell without walls: a command can do whatever its user can. A process that it starts in its own session
 * (`setsid`) is out of reach and lives on; only a sandbox prevents that. Needs a POSIX system.
 */
export function hostShell(): Shell {
  return {
    description: "No sandbox: commands can do whatever this user can.",
    walls: [],
    run: (command, signal) => {
      const args = ["-c", joinStreams, command.command];
      return runProcess({ program: shellProgram, args, reports: "nothing", emptyInputs: 0 }, command, signal);
    },
  };
}
