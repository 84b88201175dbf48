// Options of the root: the folder that the workspace tools work in, and the part of it that they see.

import type { WorkspaceFiles } from "./workspace-files.js";

/** Options of every workspace tool. */
export interface RootOptions {
  /** The folder that the tool is confined to. It must exist. */
  readonly root: string;
  /** The files that the tool works on. Default: `disk()`. `dryRun()` changes none. Commands always run on the disk. */
  readonly files?: WorkspaceFiles | undefined;
  /**
   * Patterns of files that no tool shows, reads or writes, in the form of `command(…, { protect })`: `"*.pem"`,
   * `"secrets/"`. The files that a `.lastcallignore` in the workspace names, in the syntax of `.gitignore`, are hidden
   * as well. Commands see all files. Default: none.
   */
  readonly hide?: readonly string[] | undefined;
}
