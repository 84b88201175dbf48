// run_command: a shell command in the root, within bounds of time and output.

import { StringDecoder } from "node:string_decoder";
import { z } from "zod";
import { tool, type Tool } from "../core/index.js";
import { collectPieces, describeEnding, keepEnds, plainVariables, runShell } from "../shell/index.js";
import { openRoot } from "../files/index.js";
import type { RootOptions } from "./root.js";

/** The arguments of `run_command`. */
export interface RunCommand {
  command: string;
  /** More than 0, at most 600; 120 if left out. */
  timeout_seconds?: number | undefined;
}

/** What `run_command` is made from. */
export interface CommandOptions extends RootOptions {
  /**
   * Variables for the commands, besides the plain ones (`PATH`, `HOME` and the like) that they always get. Nothing
   * else of this process's environment reaches them: it may hold keys. Default: none.
   */
  readonly env?: Readonly<Record<string, string>>;
}

const usualSeconds = 120;
const mostSeconds = 600;
/** Bytes kept of either end of the output. */
const endBytes = 16 * 1024;
/** Characters of progress that may wait for a slow watcher. */
const mostWaiting = 256 * 1024;

/**
 * `run_command{ command, timeout_seconds? }`: runs `sh -c` in the root. A command can do whatever its user can: the
 * root is where it starts and no wall around it. It yields the output as it comes; its value says how the command
 * ended, then both ends of the output. Needs a POSIX system.
 * @throws LastcallError `configuration` where the root can't be used.
 */
export function runCommand(options: CommandOptions): Tool<"run_command", RunCommand, string, "never"> {
  const folder = openRoot(options.root);
  return tool({
    name: "run_command",
    description:
      "Runs a shell command (sh) in the workspace and returns its exit code and output. It has no terminal and its input is empty. What it leaves in the background runs on only as long as it prints nothing: send its output to a file.",
    input: z.object({
      command: z.string().refine(isCommand, "must not be empty or hold a NUL character").describe("The command"),
      timeout_seconds: z
        .number()
        .refine(
          (seconds) => seconds > 0 && seconds <= mostSeconds,
          `must be more than 0 and at most ${String(mostSeconds)}`,
        )
        .optional()
        .describe(`When to give up, at most ${String(mostSeconds)}; ${String(usualSeconds)} if left out`),
    }),
    effect: "execute",
    async *run({ command, timeout_seconds: seconds = usualSeconds }, { signal }) {
      signal.throwIfAborted();
      const environment = { ...plainVariables(), ...options.env };
      const ends = keepEnds(endBytes);
      const pieces = collectPieces(mostWaiting);
      const decoder = new StringDecoder();
      const onOutput = (chunk: Buffer): void => {
        ends.add(chunk);
        pieces.add(decoder.write(chunk));
      };
      const left = new AbortController();
      const running = runShell(
        { command, folder, environment, seconds, onOutput },
        AbortSignal.any([signal, left.signal]),
      ).finally(pieces.close);
      try {
        yield* pieces.read();
        const ending = await running;
        if (ending.how === "aborted") throw signal.reason;
        return `${describeEnding(ending, seconds)}\n${ends.text() || "[no output]"}`;
      } finally {
        left.abort();
        await running.catch(() => undefined);
      }
    },
  });
}

function isCommand(text: string): boolean {
  return text.trim() !== "" && !text.includes("\0");
}
