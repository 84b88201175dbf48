// The port of shells: runs one command, with walls or without.

import type { OpenableWall, Wall } from "../../core/index.js";

/** The program that runs commands. It is not looked up on `PATH`, which may begin with a folder that the agent can write to. */
export const shellProgram = "/bin/sh";

/** The end of a command. */
export type CommandExit = (
  | { readonly how: "exited"; readonly code: number }
  | { readonly how: "killed"; readonly signal: string }
  | { readonly how: "timed-out" }
  | { readonly how: "aborted" }
) & {
  /** The protected files that the command made, as absolute paths. After it they were renamed, to `name.unasked`. Default: none. */
  readonly setAside?: readonly string[];
  /** The files that were empty for the command because they are likely to hold secrets, as absolute paths. Default: none. */
  readonly hidden?: readonly string[];
};

/** A command, and how it runs. */
export interface ShellCommand {
  /** The command line, for `sh`. */
  readonly command: string;
  /** The working directory: a real path. */
  readonly folder: string;
  /** All the variables that it gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** The time limit in seconds. */
  readonly seconds: number;
  /** Gets the output of both streams, in the order of the writes. */
  readonly onOutput: (chunk: Uint8Array) => void;
  /** The walls that are open for this command. A shell without walls ignores it. Default: none. */
  readonly opens?: readonly OpenableWall[];
  /**
   * True if rules forbid to read or to write a file of the workspace. A shell with the walls `secrets` and `protected` holds them; other
   * shells can't. Default: nothing is forbidden.
   */
  readonly forbids?: ((access: "read" | "write", path: string) => boolean) | undefined;
}

/**
 * Runs commands, one process group each.
 *
 * Contract: `run` settles when the command has ended. All of its output is passed to `onOutput` before, and none after.
 * Its input is empty, and it has no terminal. The exit of the shell is the end, even if other processes hold its output
 * open. Processes that it left are then asked to end, and forced half a second later. The same happens to the whole
 * group at the time limit, when the signal aborts, and when this process exits. An exit code other than 0 is an exit,
 * not an error: `run` rejects only if nothing was run.
 */
export interface Shell {
  /** The shell and its walls, as sentences: for the person who starts a run, and for the model. */
  readonly description: string;
  /** The walls around each command, whatever it tries. Empty without a sandbox. */
  readonly walls: readonly Wall[];
  /** @throws Error if the command could not be started. */
  run(command: ShellCommand, signal: AbortSignal): Promise<CommandExit>;
}

/** Describes the end of a command, for people and for the model. */
export function describeExit(ending: Exclude<CommandExit, { how: "aborted" }>, seconds: number): string {
  switch (ending.how) {
    case "exited":
      return `exit code ${String(ending.code)}`;
    case "killed":
      return `killed by signal ${ending.signal}`;
    case "timed-out":
      return `timed out after ${String(seconds)} s; killed`;
  }
}
