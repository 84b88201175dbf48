// The root: the folder that the workspace tools are made for, and what of it they see.

import type { WorkspaceFiles } from "./workspace-files.js";

/** What every workspace tool is made from. */
export interface RootOptions {
  /** The folder that the tool is confined to. It must exist. */
  readonly root: string;
  /** The files that it works on. Default: `disk()`; `dryRun()` changes none. Commands are run on the disk whatever it is. */
  readonly files?: WorkspaceFiles | undefined;
  /**
   * Patterns of what no tool shows, reads or writes, as the ones of `command(…, { protect })`: `"*.pem"`, `"secrets/"`. What a
   * `.lastcallignore` in the workspace names, in the words of `.gitignore`, is hidden in the same way. Commands see all of it.
   * Default: none.
   */
  readonly hide?: readonly string[] | undefined;
}
