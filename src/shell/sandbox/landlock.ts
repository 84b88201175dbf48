// Landlock (Linux): walls around each command for systems without bubblewrap.

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { homedir, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { LastcallError, type Wall } from "../../core/index.js";
import { contains } from "../../files/index.js";
import { runProcess } from "../process/run-process.js";
import { shellProgram, type Shell } from "../port/shell.js";
import { findProgram } from "./find-program.js";
import { projectOf } from "./home-folder.js";
import { launchArguments } from "./landlock-script.js";
import { readSandboxOptions, type SandboxOptions, type Settings } from "./sandbox-options.js";
import { readablePlaces } from "./readable-places.js";

/**
 * Runs commands behind rules of the Linux kernel (Landlock, Linux 6.2 and later, on x86_64 and arm64). A script for `perl` makes
 * them, so perl has to be installed. Commands change the content of no file outside of the workspace and of their own temporary
 * folder (`TMPDIR`), and they read neither the home folder but its toolchains, nor the folders beside the workspace, nor `/tmp` and
 * `/run`. They have no capabilities, reach no socket of the file system, trace no other process, and send signals to none (Linux
 * 6.12).
 *
 * These walls are fewer than `bubblewrap()`'s walls, and `walls` says so: `.git`, protected files, `.env` and the network are open,
 * so a gate asks about commands that do more than read and make empty files. Modes, owners and times of the user's other files can
 * be changed. A process that leaves its group outlives the command, inside its walls. `ls /` fails, and so does a program that
 * writes to `/tmp` whatever `TMPDIR` says, or makes a socket in the file system. `network` and `processes` have no effect.
 * @throws LastcallError `configuration` if there is no perl, if the root can't be used or contains the home folder, or if `readOnly`
 * or `hidden` name paths in a workspace, which Landlock can't take out.
 */
export function landlock(options: SandboxOptions): Shell {
  const settings = readSandboxOptions("landlock", options);
  const { root, writable } = settings;
  expectPossible(settings);
  const program = findProgram("perl", "Landlock", root);
  return {
    description: describe(settings),
    walls: writable ? ["files", "home"] : (["files", "workspace", "home"] satisfies readonly Wall[]),
    async run(command, signal) {
      const { opens = [], environment } = command;
      const temporary = await mkdtemp(join(await realpath(tmpdir()), "lastcall-command-"));
      try {
        const place = { root, project: await projectOf(root), path: environment["PATH"] ?? "" };
        const readable = [
          ...(await readablePlaces(settings, place, opens.includes("home"))),
          ...(writable ? [] : [root]),
        ];
        const places = { readable, writable: [...(writable ? [root] : []), temporary] };
        const { args, variables } = launchArguments(places, { ...environment, TMPDIR: temporary });
        const line = [shellProgram, "-c", `exec ${shellProgram} -c -- "$0" 2>&1`, command.command];
        const launch = { program, args: [...args, ...line], reports: "errors", emptyInputs: 0 } as const;
        return await runProcess(launch, { ...command, environment: variables }, signal);
      } finally {
        // A command may have made a folder that its user can't empty. It is the user's, and stays.
        await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
      }
    },
  };
}

/** @throws LastcallError if Landlock can't keep what the settings ask for. */
function expectPossible({ root, readOnly, hidden }: Settings): void {
  const fail = (reason: string): never => {
    throw new LastcallError("configuration", `Landlock is not used: ${reason}.`);
  };
  if (process.platform !== "linux") fail("it is a part of Linux");
  if (process.arch !== "x64" && process.arch !== "arm64") fail(`its script does not know ${process.arch}`);
  const inside = [...readOnly.map((name) => join(root, name)), ...hidden].filter((path) => contains(root, path));
  if ([homedir(), userInfo().homedir].some((home) => contains(root, home)))
    fail("the workspace contains the home folder, and it can't close a part of a workspace");
  if (inside[0] !== undefined) fail(`it can't close ${inside[0]}, which is in the workspace`);
}

function describe({ root, writable }: Settings): string {
  const temporary = "a temporary folder that ends with the command";
  const files = writable ? `the workspace (${root}) and ${temporary}` : temporary;
  return `A sandbox (Landlock): only ${files} can be changed, but for modes and times of files; the home folder but for toolchains can't be read; .git and .env are not kept, and the network is open.`;
}
