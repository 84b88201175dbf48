// Runs a command line and keeps both ends of its output.

import { realpath } from "node:fs/promises";
import { capture, describeExit, hostShell, plainVariables, type Shell } from "../shell/index.js";

/** A command line, and how it runs. */
export interface CommandLine {
  readonly line: string;
  /** The working directory; it may be relative to this process's. */
  readonly folder: string;
  /** Variables besides the plain variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
  /** The shell that runs it. Default: the host's. */
  readonly shell?: Shell | undefined;
}

/** The end of a command, and its output. */
export interface LineResult {
  /** In words. */
  readonly how: string;
  /** The exit code; undefined if the command was killed. */
  readonly code: number | undefined;
  readonly text: string;
}

/** Bytes kept of each end of the output, for the model to read. */
const endBytes = 4 * 1024;

/**
 * Runs a command line until its whole process group has ended. An abort ends the group, too, and the signal's reason is
 * thrown.
 * @throws Error if the shell could not be started.
 */
export async function runLine(
  { line, folder, env, timeout, shell = hostShell() }: CommandLine,
  signal: AbortSignal,
): Promise<LineResult> {
  const output = capture(endBytes);
  const seconds = timeout / 1000;
  const environment = { ...plainVariables(), ...env };
  const { onOutput } = output;
  // If the folder does not exist, the shell reports it.
  const realFolder = await realpath(folder).catch(() => folder);
  // The command is the person's own: it may read the secrets of the workspace, and use git.
  const opens = ["secrets", "protected"] as const;
  const exit = await shell.run({ command: line, folder: realFolder, environment, seconds, onOutput, opens }, signal);
  if (exit.how === "aborted") throw signal.reason;
  output.end();
  const code = exit.how === "exited" ? exit.code : undefined;
  return { how: describeExit(exit, seconds), code, text: output.text() };
}
