// The port of shells: something that runs one command, within walls or without.

/** How a command ended. */
export type CommandExit =
  | { readonly how: "exited"; readonly code: number }
  | { readonly how: "killed"; readonly signal: string }
  | { readonly how: "timed-out" }
  | { readonly how: "aborted" };

/** A command, and with what and how long it runs. */
export interface ShellCommand {
  /** Read by `sh`. */
  readonly command: string;
  /** Where it starts: a real path. */
  readonly folder: string;
  /** All the variables that it gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** When it is ended. */
  readonly seconds: number;
  /** Gets what both streams print, in the order in which it was written. */
  readonly onOutput: (chunk: Uint8Array) => void;
}

/**
 * Runs commands, one process group each.
 *
 * Contract: `run` settles when the command is over, with all of its output handed to `onOutput` before and nothing after. Its
 * input is empty and it has no terminal. The shell's own exit is the end, whoever else holds its output open; what it left
 * behind is then asked to end and half a second later forced to, as is all of it at the time limit, when the signal aborts,
 * and when this process exits. An exit code other than 0 is an ending and no error: it rejects only where nothing was run.
 */
export interface Shell {
  /** What it is and what its walls are, as sentences: for whoever starts a run, and for the model. */
  readonly description: string;
  /** True where commands, whatever they try, change nothing outside their workspace. */
  readonly isWalled: boolean;
  /** @throws Error where the command could not be started. */
  run(command: ShellCommand, signal: AbortSignal): Promise<CommandExit>;
}

/** How a command ended, in words. */
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
