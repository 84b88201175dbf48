// The sandbox: commands within walls, made by bubblewrap (Linux) for each of them anew.

import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { release } from "node:os";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { LastcallError } from "../core/index.js";
import { explain } from "../core/internal.js";
import { contains, expand, openRoot } from "../files/index.js";
import { mountsFor, type Mount, type Places } from "./mounts.js";
import { runProcess } from "./run-process.js";
import type { Shell } from "./shell.js";

/** Where the walls of a sandbox stand. */
export interface SandboxOptions {
  /** The workspace. It must exist. */
  readonly root: string;
  /**
   * True: commands can change files in it, but not what is run outside the sandbox later (`.git/hooks`, `.git/config`, `.vscode`,
   * `.husky` and the like, where they are). False: they change nothing at all.
   */
  readonly writable: boolean;
  /** True: they reach the network, with it every server of this machine and its abstract sockets. Default false. */
  readonly network?: boolean | undefined;
  /**
   * Paths that can be read though they are hidden, as files of keys, `/tmp` and `/run` are; those that exist by now. Relative
   * ones are in the workspace, a `~` is the home folder. Default: none.
   */
  readonly readable?: readonly string[] | undefined;
  /**
   * Files and folders that are empty for commands, where they exist, besides the usual places of keys. Paths as for `readable`.
   * Default: none.
   */
  readonly hidden?: readonly string[] | undefined;
  /** Paths in the workspace, relative to it, that stay as they are, where they exist: `.git`, say. Default: none. */
  readonly readOnly?: readonly string[] | undefined;
  /**
   * How many processes and threads a command can have at a time. The kernel does not hold root to it, nor does one older than 5.14
   * count them by sandbox: there it is left out. Default 4096.
   */
  readonly processes?: number | undefined;
}

/** A sandbox, or in words why there is none. */
export type Finding = { readonly ok: true; readonly shell: Shell } | { readonly ok: false; readonly reason: string };

/**
 * Runs commands in a sandbox of bubblewrap: everything is read-only but the workspace and folders of their own at `/tmp`,
 * `/var/tmp` and `/run`; no other process is seen; the home folder's usual places of keys are empty; there is no network. All
 * of it ends with the command, also what left its group, and also when this process is killed. The walls are the kernel's:
 * they hold as long as it has no hole, and what can be read can be printed. A command that a signal ended has the exit code
 * 128 and its number. Whether it works here, `findSandbox` tries.
 * @throws LastcallError `configuration` where there is no bubblewrap, or the root can't be used.
 */
export function bubblewrap(options: SandboxOptions): Shell {
  const root = openRoot(options.root);
  const program = findProgram(root);
  if (program === undefined) {
    const advice = "Install it (the package is named bubblewrap), or run without a sandbox.";
    throw new LastcallError("configuration", `bubblewrap is not installed: there is no bwrap on the PATH. ${advice}`);
  }
  const { writable, network = false, readable = [], hidden = [], readOnly = [], processes = 4096 } = options;
  const inRoot = (path: string): string => resolve(root, expand(path));
  const shown = readable.map(inRoot).filter((path) => existsSync(path));
  const places: Places = {
    ...{ root, writable, network, readOnly },
    readable: shown.map((path) => realpathSync.native(path)),
    hidden: hidden.map(inRoot),
  };
  return {
    description: describe(places),
    isWalled: true,
    async run(command, signal) {
      const mounts = await mountsFor(places);
      const variables = command.environment["TMPDIR"] === undefined ? [] : ["--setenv", "TMPDIR", "/tmp"];
      const namespaces = ["--unshare-all", ...(network ? ["--share-net"] : []), "--cap-drop", "ALL"];
      const life = ["--die-with-parent", "--new-session", "--json-status-fd", "3", "--chdir", command.folder];
      const line = ["--", "sh", "-c", watchOver(processes), command.command];
      const args = [...namespaces, ...life, ...variables, ...mount(mounts), ...line];
      const emptyInputs = mounts.filter(({ kind }) => kind === "empty-file").length;
      return await runProcess({ program, args, reports: true, emptyInputs }, command, signal);
    },
  };
}

/**
 * Tries whether there can be a sandbox: whether bubblewrap is installed, and allowed to make one, which containers and hardened
 * systems may forbid.
 * @throws LastcallError `configuration` where the root can't be used.
 */
export async function findSandbox(options: SandboxOptions): Promise<Finding> {
  const folder = openRoot(options.root);
  try {
    const shell = bubblewrap(options);
    const trial = { command: "true", folder, environment: { PATH: process.env["PATH"] ?? "" }, seconds: 10 };
    const ending = await shell.run({ ...trial, onOutput: () => undefined }, new AbortController().signal);
    if (ending.how === "exited" && ending.code === 0) return { ok: true, shell };
    return { ok: false, reason: "bubblewrap can't run anything here." };
  } catch (thrown) {
    if (thrown instanceof LastcallError) return { ok: false, reason: thrown.message };
    return { ok: false, reason: `bubblewrap can't make a sandbox here: ${explain(thrown)}` };
  }
}

function describe({ root, writable, network }: Places): string {
  const files = writable
    ? `everything but the workspace (${root}) and a /tmp that lasts as long as the command is read-only`
    : "everything is read-only but a /tmp that lasts as long as the command";
  return `A sandbox (bubblewrap): ${files}, files of keys are hidden, ${network ? "the network is open" : "there is no network"}.`;
}

/** The real path of `bwrap`. Not one from the workspace, whose files anybody may have written. */
function findProgram(root: string): string | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute)) {
    try {
      const program = realpathSync.native(join(folder, "bwrap"));
      accessSync(program, constants.X_OK);
      if (!contains(root, program)) return program;
    } catch {
      // It is not there: the next folder may have it.
    }
  }
  return undefined;
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
 * Runs the command, and when it is over asks what is left to end, before bubblewrap kills it. The signal that asks it comes to this
 * script as well, which then goes on waiting: were it to end, everything would be killed at once.
 */
function watchOver(processes: number): string {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  const counts = process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14));
  const limit = `ulimit -u ${String(processes)} 2>/dev/null || ulimit -p ${String(processes)} 2>/dev/null;`;
  return [
    "trap : TERM",
    `(${counts ? limit : ""} exec sh -c -- "$0") 2>&1`,
    "code=$?",
    "kill -TERM -1 2>/dev/null || exit $code",
    "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do",
    "  sleep 0.02; kill -0 -1 2>/dev/null || break",
    "done",
    "exit $code",
  ].join("\n");
}
