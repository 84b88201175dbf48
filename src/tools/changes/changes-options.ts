// The options of `workspaceChanges`.

/** The most entries and bytes of a workspace that are looked at for a command. */
export interface TreeLimits {
  readonly entries: number;
  readonly bytes: number;
}

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
