// run_command: runs a shell command in the root, with limits on time and output.

import { z } from "zod";
import { tool, type OpenableWall, type Tool, type Wall } from "../core/index.js";
import { follow, openableWalls } from "../core/internal.js";
import { contains, locate, shown } from "../files/index.js";
import {
  capture,
  collectPieces,
  describeExit,
  hiddenMet,
  hostShell,
  plainVariables,
  wallsMet,
  type CommandExit,
  type Shell,
} from "../shell/index.js";
import { disk } from "./workspace/disk.js";
import { rootOf, type RootOptions } from "./workspace/root.js";
import { kindInWords } from "./workspace/workspace-files.js";

/** The arguments of `run_command`. */
export interface RunCommand {
  command: string;
  /** The folder that the command starts in, relative to the root. Default: the root. */
  working_dir?: string | undefined;
  /** More than 0, at most 600. Default 120. */
  timeout_seconds?: number | undefined;
  /** The walls of the sandbox that have to be open for the command. The permission decides about them. Default: none. */
  needs?: readonly OpenableWall[] | undefined;
}

/** Options of `run_command`. */
export interface CommandOptions extends RootOptions {
  /**
   * Variables for the commands, besides the plain variables (`PATH`, `HOME` and the like) and the variables that keep
   * programs from waiting for a person (`PAGER`, `GIT_EDITOR`), which they always get. They get no other variable of
   * this process, because it may hold keys. Default: none.
   */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The shell that runs the commands, such as `bubblewrap()`. Default: `hostShell()`, without walls. */
  readonly shell?: Shell | undefined;
}

const usualSeconds = 120;
const maxSeconds = 600;
/** Bytes kept of the start and of the end of the output. */
const endBytes = 16 * 1024;
/** Characters of progress that may wait for a slow watcher. */
const maxWaitingCharacters = 256 * 1024;

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
    .refine((seconds) => seconds > 0 && seconds <= maxSeconds, `must be more than 0 and at most ${String(maxSeconds)}`)
    .optional()
    .describe(`When to give up, at most ${String(maxSeconds)}; ${String(usualSeconds)} if left out`),
});

/** The arguments in a sandbox. */
const walledInput = input.extend({
  needs: z
    .array(z.enum(openableWalls))
    .optional()
    .describe(
      "What the sandbox has to open for this command, which the user is then asked about: network; protected (the data of git, to commit or switch); secrets (.env and keys); home (the home folder). Leave it out unless the command can't work without",
    ),
});

/**
 * `run_command{ command, working_dir?, timeout_seconds? }`: runs `sh -c` in the root. Unless its shell is a sandbox, a
 * command can do whatever its user can: the root is only the folder it starts in, not a wall around it. It yields the
 * output as it is printed, as plain text. Its value says how the command ended, followed by both ends of the output.
 * Needs a POSIX system.
 * @throws LastcallError `configuration` if the root can't be used.
 */
export function runCommand(options: CommandOptions): Tool<"run_command", RunCommand, string, "never"> {
  const root = rootOf(options);
  const { shell = hostShell(), env = {} } = options;
  const isWalled = shell.walls.length > 0;
  return tool({
    name: "run_command",
    description: isWalled ? `${purpose} It runs in this place: ${shell.description}` : purpose,
    input: isWalled ? walledInput : input,
    effect: "execute",
    reach: ({ command, working_dir: folder = ".", needs = [] }: RunCommand) => ({
      command,
      folder,
      ...(isWalled && { walls: shell.walls, needs }),
      ...(Object.keys(env).length > 0 && { variables: env }),
    }),
    preview,
    async *run(
      { command, working_dir: where = ".", timeout_seconds: seconds = usualSeconds, needs = [] }: RunCommand,
      { signal, decision, permission },
    ) {
      // A gate has refused it already; without a gate, this is the check.
      if (command.includes("\0")) throw new Error("The command holds a NUL character. Write it without.");
      const folder = await findFolder(root, where);
      signal.throwIfAborted();
      const environment = { ...plainVariables(), ...env };
      const { opens = [] } = decision;
      const forbids = permission.forbids?.bind(permission);
      const pieces = collectPieces(maxWaitingCharacters);
      const printed = capture(endBytes, pieces.add);
      const stop = new AbortController();
      const unfollow = follow(stop, signal);
      const running = shell
        .run({ command, folder, environment, seconds, onOutput: printed.onOutput, opens, forbids }, stop.signal)
        .finally(() => {
          printed.end();
          pieces.close();
        });
      try {
        yield* pieces.read();
        const ending = await running;
        if (ending.how === "aborted") throw signal.reason;
        const output = printed.text() || "[no output]";
        const open: readonly Wall[] = opens;
        const closed = shell.walls.filter((wall) => !open.includes(wall));
        const remarks = remarksOn(ending, {
          command,
          output,
          closed,
          root,
          needs,
          asksNobody: decision.basis === "mode",
        });
        return [describeExit(ending, seconds), output, ...remarks].join("\n");
      } finally {
        unfollow();
        stop.abort();
        await running.catch(() => undefined);
      }
    },
  });
}

function isOpenable(wall: Wall): wall is OpenableWall {
  return (openableWalls as readonly Wall[]).includes(wall);
}

/** What is known of a command that has ended. */
interface Ended {
  readonly command: string;
  readonly output: string;
  readonly closed: readonly Wall[];
  readonly root: string;
  /** The walls that the call named. */
  readonly needs: readonly OpenableWall[];
  /** True if no person is asked in this mode, so that no wall opens. */
  readonly asksNobody: boolean;
}

/** Says what was renamed, which walls stayed closed, and which may be the reason of a failure. */
function remarksOn(
  ending: CommandExit,
  { command, output, closed, root, needs, asksNobody }: Ended,
): readonly string[] {
  const setAside = (ending.setAside ?? []).map((path) => shown(root, path));
  const hasFailed = ending.how !== "exited" || ending.code !== 0;
  const missed = hasFailed ? hiddenMet(command, output, ending.hidden ?? []) : [];
  const met = hasFailed ? wallsMet(output, closed) : [];
  const refused = needs.filter((wall) => closed.includes(wall));
  const way = (wall: OpenableWall): string =>
    asksNobody
      ? " Nobody is asked in this run, so that stays closed. Work without it, or tell the user what is missing."
      : ` If the command needs that, call run_command again with needs: ["${wall}"], and the user is asked.`;
  return [
    ...(refused.length === 0
      ? []
      : [
          `[It ran with ${refused.join(", ")} closed, though the call names that in needs: ${asksNobody ? "nobody is asked in this run, and without a person no wall opens" : "the permission did not open it"}. Work without it, or tell the user what is missing.]`,
        ]),
    ...(setAside.length === 0
      ? []
      : [
          `[It made ${setAside.join(", ")}, which other programs would run or obey, so it was renamed: .unasked was added to the name.${asksNobody ? " Nobody is asked in this run, so it stays renamed." : ' If the task needs it, call run_command again with needs: ["protected"], and the user is asked.'}]`,
        ]),
    ...remarksOnMissed(missed, root, way),
    ...met
      .filter(({ wall }) => wall !== "secrets" || missed.length === 0)
      .map(({ wall, words }) =>
        isOpenable(wall) && !refused.includes(wall)
          ? `[It may have failed because ${words}.${way(wall)}]`
          : `[It may have failed because ${words}.]`,
      ),
  ];
}

/** Names the files that were empty, with the wall to open: files outside of the workspace open with the home folder. */
function remarksOnMissed(
  missed: readonly string[],
  root: string,
  way: (wall: OpenableWall) => string,
): readonly string[] {
  const wallOf = (path: string): OpenableWall => (contains(root, path) ? "secrets" : "home");
  return (["secrets", "home"] as const).flatMap((wall) => {
    const paths = missed.filter((path) => wallOf(path) === wall).map((path) => shown(root, path));
    if (paths.length === 0) return [];
    const [are, hold] = paths.length === 1 ? ["is", "it is"] : ["are", "they are"];
    return [
      `[It may have failed because ${paths.join(", ")} ${are} empty in the sandbox: ${hold} likely to hold secrets.${way(wall)}]`,
    ];
  });
}

/** Shows the command unchanged, after the folder and the time limit if the call gives them. */
function preview({ command, working_dir: folder, timeout_seconds: seconds, needs = [] }: RunCommand): string {
  const terms = [
    ...(needs.length === 0 ? [] : [`with ${needs.join(", ")} open`]),
    ...(folder === undefined ? [] : [`in ${JSON.stringify(folder)}`]),
    ...(seconds === undefined ? [] : [`for at most ${String(seconds)} s`]),
  ];
  return terms.length === 0 ? command : `${terms.join(", ")}:\n${command}`;
}

/** @throws Error for the model if the path leads outside, or to no folder. */
async function findFolder(root: string, path: string): Promise<string> {
  if (path === ".") return root;
  const folder = await locate(root, path);
  const found = await disk().look(folder);
  if (found?.kind === "folder") return folder;
  const what = found === undefined ? "there is no such folder" : `it is ${kindInWords(found.kind)} and no folder`;
  throw new Error(`The command can't run in ${JSON.stringify(path)}: ${what}. Give a folder of the workspace.`);
}
