// The sandbox: bubblewrap (Linux) puts walls around each command.

import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { release } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { LastcallError, type Wall } from "../../core/index.js";
import { checkOptions, explain } from "../../core/internal.js";
import { contains, expand, openRoot } from "../../files/index.js";
import { mountsFor, type Mount, type MountSettings } from "./mounts.js";
import { projectOf } from "./home-folder.js";
import { runProcess } from "../process/run-process.js";
import { shellProgram, type Shell } from "../port/shell.js";
import { maxEntries, setAsideMade, walk } from "./workspace-walk.js";

/** Options of a sandbox. */
export interface SandboxOptions {
  /** The workspace. It must exist. */
  readonly root: string;
  /**
   * True: commands can change files in the workspace, except existing files that are run outside the sandbox later
   * (`.git/hooks`, `.git/config`, `.vscode`, `.husky` and the like). False: they can change no file at all.
   */
  readonly writable: boolean;
  /** True: commands reach the network, and with it every server of this machine and its abstract sockets. Default false. */
  readonly network?: boolean | undefined;
  /**
   * Paths that stay readable although they would be hidden, as files of keys, `/tmp` and `/run` are. Only paths that
   * exist now count. Relative paths are in the workspace; `~` is the home folder. Default: none.
   */
  readonly readable?: readonly string[] | undefined;
  /**
   * More files and folders that are empty for commands, besides the usual places of keys. Paths as for `readable`;
   * those that do not exist are ignored. Default: none.
   */
  readonly hidden?: readonly string[] | undefined;
  /**
   * Paths in the workspace, relative to it, that can't be changed: `.git`, say. Those that do not exist are ignored.
   * Default: none.
   */
  readonly readOnly?: readonly string[] | undefined;
  /**
   * The limit of processes and threads of one command at a time. The kernel does not apply it to root. A kernel older
   * than 5.14 does not count per sandbox, so there the limit is left out. Default 4096.
   */
  readonly processes?: number | undefined;
}

const sandboxOptions = {
  root: true,
  writable: true,
  network: true,
  readable: true,
  hidden: true,
  readOnly: true,
  processes: true,
} satisfies Record<keyof SandboxOptions, true>;

/** A sandbox, or the reason in words why there is none. */
export type Finding = { readonly ok: true; readonly shell: Shell } | { readonly ok: false; readonly reason: string };

/**
 * Runs commands in a sandbox of bubblewrap. Everything is read-only except the workspace and the sandbox's own folders
 * at `/tmp`, `/var/tmp`, `/run` and in the home folder. Other processes are invisible. The home folder is empty but for
 * toolchains, and so are the folders beside the workspace. `.env` and keys of the workspace are empty, git's data and
 * protected files can't be changed, and there is no network, unless the command opens these walls
 * (`ShellCommand.opens`). Protected files that a command made are renamed after it. All processes end with the command,
 * including those that left its group, and also when this process is killed. The kernel enforces the walls, so they are
 * as good as the kernel; and any file that can be read can be printed. A command that a signal ended has the exit code
 * 128 plus the signal's number. `findSandbox` tries whether it works here.
 * @throws LastcallError `configuration` if bubblewrap is not installed, or only in the workspace, or the root can't be used.
 */
export function bubblewrap(options: SandboxOptions): Shell {
  checkOptions("bubblewrap", options, sandboxOptions);
  const root = openRoot(options.root);
  const program = findProgram(root);
  const { writable, network = false, readable = [], hidden = [], readOnly = [], processes = 4096 } = options;
  const inRoot = (path: string): string => resolve(root, expand(path));
  const readablePaths = readable.map(inRoot).filter((path) => existsSync(path));
  const settings: MountSettings = {
    ...{ root, writable, network, readOnly },
    readable: readablePaths.map((path) => realpathSync.native(path)),
    hidden: hidden.map(inRoot),
  };
  return {
    description: describe(settings),
    walls: wallsOf(settings),
    async run(command, signal) {
      const { opens = [], forbids, environment } = command;
      const watched = await walk(root, forbids);
      const canMiss = forbids === undefined && opens.includes("secrets") && opens.includes("protected");
      if (!watched.isWhole && !canMiss) throw tooMany();
      const project = await projectOf(root);
      const mounts = await mountsFor(settings, { opens, watched, project, path: environment["PATH"] ?? "" });
      const variables = command.environment["TMPDIR"] === undefined ? [] : ["--setenv", "TMPDIR", "/tmp"];
      const hasNetwork = network || opens.includes("network");
      const namespaces = ["--unshare-all", ...(hasNetwork ? ["--share-net"] : []), "--cap-drop", "ALL"];
      const lifetime = ["--die-with-parent", "--new-session", "--json-status-fd", "3", "--chdir", command.folder];
      const line = ["--", shellProgram, "-c", watchScript(processes), command.command];
      const args = [...namespaces, ...lifetime, ...variables, ...mount(mounts), ...line];
      const emptyInputs = mounts.filter(({ kind }) => kind === "empty-file").length;
      const exit = await runProcess({ program, args, reports: true, emptyInputs }, command, signal);
      if (!writable || opens.includes("protected")) return exit;
      const setAside = await setAsideMade(root, watched, forbids);
      return setAside.length === 0 ? exit : { ...exit, setAside };
    },
  };
}

function wallsOf({ writable, network }: MountSettings): readonly Wall[] {
  return [
    "files",
    ...(writable ? [] : (["workspace"] as const)),
    "protected",
    ...(network ? [] : (["network"] as const)),
    "home",
    "secrets",
  ];
}

function tooMany(): Error {
  const advice = "Ask the user to work in a smaller folder, or state that the command needs secrets and protected";
  return new Error(
    `The workspace has more than ${String(maxEntries)} files, so its secrets and protected files can't be held. ${advice}.`,
  );
}

/**
 * Tries whether a sandbox is possible: bubblewrap must be installed and allowed to make one. Containers and hardened
 * systems may forbid that.
 * @throws LastcallError `configuration` if the root can't be used.
 */
export async function findSandbox(options: SandboxOptions): Promise<Finding> {
  checkOptions("findSandbox", options, sandboxOptions);
  const folder = openRoot(options.root);
  try {
    const shell = bubblewrap(options);
    const probe = { command: "true", folder, environment: { PATH: process.env["PATH"] ?? "" }, seconds: 10 };
    const ending = await shell.run({ ...probe, onOutput: () => undefined }, new AbortController().signal);
    if (ending.how === "exited" && ending.code === 0) return { ok: true, shell };
    return { ok: false, reason: "bubblewrap can't run anything here." };
  } catch (thrown) {
    if (thrown instanceof LastcallError) return { ok: false, reason: thrown.message };
    return { ok: false, reason: `bubblewrap can't make a sandbox here: ${explain(thrown)}.` };
  }
}

function describe({ root, writable, network }: MountSettings): string {
  const temporary = "a /tmp that ends with the command";
  const files = writable
    ? `only the workspace (${root}) without .git, and ${temporary}, can be changed`
    : `only ${temporary} can be changed`;
  const hidden = ".env, keys and the home folder but for toolchains are empty";
  return `A sandbox (bubblewrap): ${files}; ${hidden}; ${network ? "the network is open" : "there is no network"}.`;
}

/**
 * The real path of `bwrap`. One in the workspace is not used, because the commands that it has to wall in may have written it.
 * @throws LastcallError `configuration` if there is none.
 */
function findProgram(root: string): string {
  let inside: string | undefined;
  for (const folder of (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute)) {
    try {
      const program = realpathSync.native(join(folder, "bwrap"));
      accessSync(program, constants.X_OK);
      if (!contains(root, program)) return program;
      inside ??= program;
    } catch {
      // It is not in this folder; the next one may have it.
    }
  }
  const reason =
    inside === undefined
      ? "bubblewrap is not installed (there is no bwrap on the PATH). The package is named bubblewrap."
      : `bubblewrap is not used, because its program, ${inside}, is in the workspace (${root}), where commands may change it. Work in another folder.`;
  throw new LastcallError("configuration", reason);
}

function mount(mounts: readonly Mount[]): readonly string[] {
  let descriptor = 4;
  const made = mounts.flatMap(({ kind, path }): readonly string[] => {
    switch (kind) {
      case "read-only":
        return ["--ro-bind", path, path];
      case "writable":
        return ["--bind", path, path];
      case "own":
      case "empty-folder":
        return ["--tmpfs", path];
      case "empty-file":
        return ["--ro-bind-data", String(descriptor++), path];
      case "devices":
        return ["--dev", path];
      case "processes":
        return ["--proc", path];
    }
  });
  const sealed = mounts.filter(({ kind }) => kind === "empty-folder");
  return [...made, ...sealed.flatMap(({ path }) => ["--remount-ro", path])];
}

/**
 * The script that runs the command. When the command has ended, it asks the remaining processes to end, before
 * bubblewrap kills them. The signal that asks also reaches this script, which ignores it and keeps waiting: if the
 * script ended, everything would be killed at once.
 */
function watchScript(processes: number): string {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  const counts = process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14));
  const limit = `ulimit -u ${String(processes)} 2>/dev/null || ulimit -p ${String(processes)} 2>/dev/null;`;
  return [
    "trap : TERM",
    `(${counts ? limit : ""} exec ${shellProgram} -c -- "$0") 2>&1`,
    "code=$?",
    "kill -TERM -1 2>/dev/null || exit $code",
    "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do",
    "  sleep 0.02; kill -0 -1 2>/dev/null || break",
    "done",
    "exit $code",
  ].join("\n");
}
