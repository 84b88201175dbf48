// run_command: a shell command in the root, within bounds of time and output.

import { z } from "zod";
import { tool, type Tool } from "../core/index.js";
import { locate, openRoot } from "../files/index.js";
import { capture, collectPieces, describeExit, hostShell, plainVariables, type Shell } from "../shell/index.js";
import { disk } from "./workspace/disk.js";
import type { RootOptions } from "./workspace/root.js";
import { kindInWords } from "./workspace/workspace-files.js";

/** The arguments of `run_command`. */
export interface RunCommand {
  command: string;
  /** The folder that it starts in, relative to the root; the root if left out. */
  working_dir?: string | undefined;
  /** More than 0, at most 600; 120 if left out. */
  timeout_seconds?: number | undefined;
}

/** What `run_command` is made from. */
export interface CommandOptions extends RootOptions {
  /**
   * Variables for the commands, besides the plain ones (`PATH`, `HOME` and the like) that they always get. Nothing
   * else of this process's environment reaches them: it may hold keys. Default: none.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** What runs the commands: `bubblewrap()`, say. Default: `hostShell()`, without walls. */
  readonly shell?: Shell | undefined;
}

const usualSeconds = 120;
const mostSeconds = 600;
/** Bytes kept of either end of the output. */
const endBytes = 16 * 1024;
/** Characters of progress that may wait for a slow watcher. */
const mostWaiting = 256 * 1024;

const purpose =
  "Runs a shell command (sh) in the workspace and returns its exit code and output. It has no terminal and its input is empty. What it leaves in the background is ended with it: start, use and stop a server within one command.";

const input = z.object({
  command: z
    .string()
    .refine((text) => text.trim() !== "", "must not be empty")
    .describe("The command"),
  working_dir: z
    .string()
    .optional()
    .describe("The folder to run it in, relative to the workspace; its root if left out"),
  timeout_seconds: z
    .number()
    .refine(
      (seconds) => seconds > 0 && seconds <= mostSeconds,
      `must be more than 0 and at most ${String(mostSeconds)}`,
    )
    .optional()
    .describe(`When to give up, at most ${String(mostSeconds)}; ${String(usualSeconds)} if left out`),
});

/**
 * `run_command{ command, working_dir?, timeout_seconds? }`: runs `sh -c` in the root. Unless its shell is a sandbox, a command
 * can do whatever its user can: the root is where it starts and no wall around it. It yields the output as it comes, as plain
 * text; its value says how the command ended, then both ends of the output. Needs a POSIX system.
 * @throws LastcallError `configuration` where the root can't be used.
 */
export function runCommand(options: CommandOptions): Tool<"run_command", RunCommand, string, "never"> {
  const root = openRoot(options.root);
  const { shell = hostShell(), env = {} } = options;
  return tool({
    name: "run_command",
    description: shell.isWalled ? `${purpose} It runs in this place: ${shell.description}` : purpose,
    input,
    effect: "execute",
    reach: ({ command, working_dir: folder = "." }) => ({ command, folder }),
    preview,
    async *run({ command, working_dir: where = ".", timeout_seconds: seconds = usualSeconds }, { signal }) {
      // Permission has refused it already, where there is a gate.
      if (command.includes("\0")) throw new Error("The command holds a NUL character. Write it without.");
      const folder = await findFolder(root, where);
      signal.throwIfAborted();
      const environment = { ...plainVariables(), ...env };
      const pieces = collectPieces(mostWaiting);
      const printed = capture(endBytes, pieces.add);
      const left = new AbortController();
      const running = shell
        .run(
          { command, folder, environment, seconds, onOutput: printed.onOutput },
          AbortSignal.any([signal, left.signal]),
        )
        .finally(() => {
          printed.end();
          pieces.close();
        });
      try {
        yield* pieces.read();
        const ending = await running;
        if (ending.how === "aborted") throw signal.reason;
        return `${describeExit(ending, seconds)}\n${printed.text() || "[no output]"}`;
      } finally {
        left.abort();
        await running.catch(() => undefined);
      }
    },
  });
}

/** All that would be run: where and for how long, where that was said, and then the command as it is. */
function preview({ command, working_dir: folder, timeout_seconds: seconds }: RunCommand): string {
  const terms = [
    ...(folder === undefined ? [] : [`in ${JSON.stringify(folder)}`]),
    ...(seconds === undefined ? [] : [`for at most ${String(seconds)} s`]),
  ];
  return terms.length === 0 ? command : `${terms.join(", ")}:\n${command}`;
}

/** @throws Error for the model where it leads outside, or to no folder. */
async function findFolder(root: string, path: string): Promise<string> {
  if (path === ".") return root;
  const folder = await locate(root, path);
  const found = await disk().look(folder);
  if (found?.kind === "folder") return folder;
  const what = found === undefined ? "there is no such folder" : `it is ${kindInWords(found.kind)} and no folder`;
  throw new Error(`The command can't run in ${JSON.stringify(path)}: ${what}. Give a folder of the workspace.`);
}
