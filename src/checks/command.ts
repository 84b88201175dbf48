// A command as a check: it passes where it exits with 0.

import { LastcallError, milliseconds, type Check } from "../core/index.js";
import { describeEnding, keepEnds, plainVariables, runShell } from "../shell/index.js";

/** How the command is run. */
export interface CommandCheckOptions {
  /** The folder it runs in. Default: this process's. */
  readonly cwd?: string;
  /** Milliseconds until it is ended, with all that it started, and has not passed. Default 120,000. */
  readonly timeout?: number;
  /** Variables besides the plain ones (`PATH`, `HOME` and the like); nothing else of this process's environment reaches it. */
  readonly env?: Readonly<Record<string, string>>;
  /** For people and for the receipt. Default: the command line. */
  readonly name?: string;
}

/** Bytes kept of either end of the output: what the model reads of a failure. */
const endBytes = 4 * 1024;

/**
 * A check that runs `sh -c` and passes on the exit code 0. Both streams are read to the end and kept head and tail; what
 * it leaves in the background is not waited for. Needs a POSIX system.
 * @throws LastcallError `configuration` for an empty command or a timeout that is none.
 */
export function command(
  line: string,
  { cwd = process.cwd(), timeout = 120_000, env = {}, name = line }: CommandCheckOptions = {},
): Check {
  if (line.trim() === "" || line.includes("\0")) {
    throw new LastcallError("configuration", 'A command check needs a command, for example command("npm test").');
  }
  const seconds = milliseconds("timeout", timeout) / 1000;
  return {
    name,
    async verify(signal) {
      const ends = keepEnds(endBytes);
      const environment = { ...plainVariables(), ...env };
      const onOutput = (chunk: Buffer): void => {
        ends.add(chunk);
      };
      const ending = await runShell({ command: line, folder: cwd, environment, seconds, onOutput }, signal);
      if (ending.how === "aborted") throw signal.reason;
      const output = `${describeEnding(ending, seconds)}\n${ends.text() || "[no output]"}`;
      if (ending.how !== "exited") return { passed: false, output };
      return { passed: ending.code === 0, output, exitCode: ending.code };
    },
  };
}
