// The options of `workspaceChanges`.

import type { TreeLimits } from "./tree/tree-limits.js";

/** Options of `workspaceChanges`. */
export interface ChangesOptions {
  /** The workspace. */
  readonly root: string;
  /**
   * The folder for the changes and the contents of files, outside of the workspace or in a folder of its own. It may serve several
   * workspaces. Only this user should be able to read it: it has copies of the files of the workspace.
   */
  readonly folder: string;
  /**
   * The most entries and bytes of a workspace that are looked at for a command. The changes of a command in a larger workspace are not
   * known, and `undo` says so. Default: 100,000 entries, and 256 MiB in new and changed files.
   */
  readonly limits?: TreeLimits | undefined;
}

/**
 * The bounds of the changes of a run. A file that is as it was before the run has not changed. Patterns are written as for `protect` of
 * `command`.
 */
export interface ChangeCaps {
  /** The most files that change. A file that was only moved counts once. */
  readonly files?: number | undefined;
  /** The most lines that are added and removed, together and over all files. A file that was only moved, or is binary, has none. */
  readonly lines?: number | undefined;
  /** The most commands that are run, whatever they change. */
  readonly commands?: number | undefined;
  /** Patterns of the only files that may change. */
  readonly only?: readonly string[] | undefined;
  /** Regular expressions that no new line may match. A line that was only moved, also to another file, is not new. */
  readonly forbid?: readonly string[] | undefined;
  /** Patterns of sources: if one is changed or added, a file in the usual places of tests has to be changed or added in the same run. */
  readonly testsFollow?: readonly string[] | undefined;
  /** True: these caps are advice, which the model and the person are told, and refuse nothing. Default: they are rules. */
  readonly advisory?: boolean | undefined;
}
