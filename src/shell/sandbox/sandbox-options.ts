// The options of the sandboxes, and the settings that follow from them.

import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { checkOptions, needed, listOf, type OptionKinds } from "../../core/internal.js";
import { expand, openRoot } from "../../files/index.js";
import type { MountSettings } from "./mounts.js";

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
   * paths that do not exist are ignored. Default: none.
   */
  readonly hidden?: readonly string[] | undefined;
  /**
   * Paths in the workspace, relative to it, that can't be changed: `.git`, say. Paths that do not exist are ignored.
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
  root: needed("text"),
  writable: needed("flag"),
  network: "flag",
  readable: listOf("text"),
  hidden: listOf("text"),
  readOnly: listOf("text"),
  processes: "number",
} satisfies OptionKinds<SandboxOptions>;

/** The options with their defaults and with absolute paths. */
export interface Settings extends MountSettings {
  readonly processes: number;
}

/**
 * Reads the options of the function of this name.
 * @throws LastcallError `configuration` for an unknown option, or if the root can't be used.
 */
export function readSandboxOptions(name: string, options: SandboxOptions): Settings {
  checkOptions(name, options, sandboxOptions);
  const root = openRoot(options.root);
  const { writable, network = false, readable = [], hidden = [], readOnly = [], processes = 4096 } = options;
  const inRoot = (path: string): string => resolve(root, expand(path));
  const readablePaths = readable.map(inRoot).filter((path) => existsSync(path));
  return {
    ...{ root, writable, network, readOnly, processes },
    readable: readablePaths.map((path) => realpathSync.native(path)),
    hidden: hidden.map(inRoot),
  };
}
