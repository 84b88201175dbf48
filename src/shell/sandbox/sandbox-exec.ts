// macOS: walls around each command by `sandbox-exec`.

import { accessSync, constants } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { LastcallError, type Wall } from "../../core/index.js";
import { runProcess } from "../process/run-process.js";
import { shellProgram, type Shell, type ShellCommand } from "../port/shell.js";
import { existing, hiddenHome, projectOf, type HiddenHome } from "./home-folder.js";
import { keyPlaces } from "./key-places.js";
import { readSandboxOptions, type SandboxOptions, type Settings } from "./sandbox-options.js";
import { seatbeltProfile } from "./seatbelt-profile.js";
import { inTurn } from "../workspace/turns.js";
import { setAsideMade } from "../workspace/set-aside.js";
import { expectWhole, walk, type Watched } from "../workspace/walk.js";

/** It is a part of macOS, so `PATH` is not asked. */
const program = "/usr/bin/sandbox-exec";

/**
 * Runs commands in a sandbox of macOS. It has the walls of `bubblewrap()`: the profile is written anew for each command,
 * and denies by path, so a protected file can't be made in the first place. Without the network, no local server can be
 * started either. Temporary files go to a folder of the command's own (`TMPDIR`). A process that leaves its group
 * outlives the command, inside its walls. `processes` has no effect. `sandbox-exec` is deprecated by Apple, and in use
 * by many.
 *
 * The authors of this package have not run it on macOS: the tests of its walls run there, and the profile itself is
 * tested everywhere.
 * @throws LastcallError `configuration` if there is no `sandbox-exec`, or the root can't be used.
 */
export function sandboxExec(options: SandboxOptions): Shell {
  const settings = readSandboxOptions("sandboxExec", options);
  const { root, writable, network } = settings;
  expectProgram();
  return {
    description: describe(settings),
    walls: wallsOf(settings),
    async run(command, signal) {
      const { forbids, environment } = command;
      const opens = [...(command.opens ?? []), ...(network ? (["network"] as const) : [])];
      const project = await projectOf(root);
      const watched = await walk(root, forbids);
      expectWhole(watched, { opens, forbids });
      const temporary = await mkdtemp(join(await realpath(tmpdir()), "lastcall-command-"));
      try {
        const profile = seatbeltProfile(await placesOf(settings, { ...command, opens }, watched, temporary));
        const line = [shellProgram, "-c", `exec ${shellProgram} -c -- "$0" 2>&1`, command.command];
        const launch = { program, args: ["-p", profile, ...line], reports: "errors", emptyInputs: 0 } as const;
        const variables = { ...environment, TMPDIR: temporary };
        const ending = await runProcess(launch, { ...command, environment: variables }, signal);
        const hidden = opens.includes("secrets") ? [] : [...watched.secrets.keys()];
        const exit = hidden.length === 0 ? ending : { ...ending, hidden };
        // The profile denies by name. Only a rule that forbids files may be about names that it does not know.
        if (!writable || forbids === undefined || opens.includes("protected")) return exit;
        const setAside = await inTurn(project, () => setAsideMade(root, watched, forbids));
        return setAside.length === 0 ? exit : { ...exit, setAside };
      } finally {
        // A command may have made a folder that its user can't empty. It is the user's, and stays.
        await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
      }
    },
  };
}

function expectProgram(): void {
  try {
    accessSync(program, constants.X_OK);
  } catch (cause) {
    throw new LastcallError("configuration", `There is no ${program}: it is a part of macOS.`, { cause });
  }
}

async function placesOf(
  settings: Settings,
  { opens = [], forbids, environment }: ShellCommand,
  watched: Watched,
  temporary: string,
): Promise<Parameters<typeof seatbeltProfile>[0]> {
  const { root, writable } = settings;
  const place = { root, project: await projectOf(root), path: environment["PATH"] ?? "" };
  const home: HiddenHome = opens.includes("home") ? { homes: [], empty: [], shown: [] } : await hiddenHome(place);
  const readable = (await existing(settings.readable)).filter((path) => settings.readable.includes(path));
  const keys = await existing([...(await keyPlaces()), ...settings.hidden]);
  // The wall `protected` opens git's data, and the making of protected files. Protected files that exist stay as they
  // are.
  const isOpen = opens.includes("protected");
  const ruled = [...watched.kept.keys()].filter(
    (path) => forbids?.("write", path) === true || (isOpen && basename(path) !== ".git"),
  );
  return {
    ...{ root, writable, temporary, home, readable, opens },
    shared: await existing(["/tmp", "/var/tmp", tmpdir()]),
    hidden: [
      ...keys.filter((path) => !readable.includes(path)),
      ...watched.unreadable.keys(),
      ...(opens.includes("secrets") ? [] : watched.secrets.keys()),
    ],
    readOnly: [...settings.readOnly.map((name) => join(root, name)), ...ruled],
    watched: [...(opens.includes("secrets") ? [] : watched.secrets.keys()), ...watched.kept.keys()],
  };
}

function wallsOf({ writable, network }: Settings): readonly Wall[] {
  const walls: readonly Wall[] = ["files", "workspace", "protected", "network", "home", "secrets"];
  return walls.filter((wall) => !(wall === "workspace" && writable) && !(wall === "network" && network));
}

function describe({ root, writable, network }: Settings): string {
  const temporary = "a temporary folder that ends with the command";
  const files = writable ? `the workspace (${root}) without .git, and ${temporary},` : temporary;
  const hidden = ".env, keys and the home folder but for toolchains can't be read";
  return `A sandbox (sandbox-exec): only ${files} can be changed; ${hidden}; ${network ? "the network is open" : "there is no network"}.`;
}
