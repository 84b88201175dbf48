// Runs a command line and keeps both ends of what it prints.

import { realpath } from "node:fs/promises";
import { capture, describeExit, hostShell, plainVariables, type Shell } from "../shell/index.js";

/** A command line, and with what and how long it runs. */
export interface Line {
  readonly line: string;
  /** Where it starts; it may be relative to this process's. */
  readonly folder: string;
  /** Variables besides the plain ones. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly timeout: number;
  /** What runs it. Default: the host's. */
  readonly shell?: Shell | undefined;
}

/** How it ended, and what it printed. */
export interface Ran {
  /** In words. */
  readonly how: string;
  /** The exit code; undefined where it was killed. */
  readonly code: number | undefined;
  readonly text: string;
}

/** Bytes kept of either end of the output: what the model reads of it. */
const endBytes = 4 * 1024;

/**
 * Runs it to its end, which is that of its whole process group. At an abort that is ended, too, and the signal's reason is thrown.
 * @throws Error where the shell could not be started.
 */
export async function runLine(
  { line, folder, env, timeout, shell = hostShell() }: Line,
  signal: AbortSignal,
): Promise<Ran> {
  const printed = capture(endBytes);
  const seconds = timeout / 1000;
  const environment = { ...plainVariables(), ...env };
  const { onOutput } = printed;
  // Where there is no such folder, the shell says so.
  const where = await realpath(folder).catch(() => folder);
  const ending = await shell.run({ command: line, folder: where, environment, seconds, onOutput }, signal);
  if (ending.how === "aborted") throw signal.reason;
  printed.end();
  const code = ending.how === "exited" ? ending.code : undefined;
  return { how: describeExit(ending, seconds), code, text: printed.text() };
}
