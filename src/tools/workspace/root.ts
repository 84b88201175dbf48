// Options of the root: the folder that the workspace tools work in, and the part that they see.

import { checkOptions, choiceOf, listOf, needed, recordOf, type Kind, type Needed } from "../../core/internal.js";
import { openRoot } from "../../files/index.js";
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
   * as well. Commands see all files. Files that the permission forbids to read (`gate({ deny: ["read(secret/**)"] })`) need not be
   * listed: lists and searches leave them out, and a sandbox hides them from commands. Default: none.
   */
  readonly hide?: readonly string[] | undefined;
}

/** The options of all workspace tools. Each tool takes them all, so that one object can be given to several tools. */
export const workspaceOptions: Readonly<Record<string, Kind | Needed>> = {
  root: needed("text"),
  files: "object",
  hide: listOf("text"),
  env: recordOf("text"),
  shell: "object",
  searchWith: choiceOf("javascript", "ripgrep"),
  searchTimeout: "number",
};

/**
 * Checks the names of the options and returns the real path of the root.
 * @throws LastcallError `configuration` for an unknown option, or if the root can't be used.
 */
export function rootOf(options: RootOptions): string {
  checkOptions("A workspace tool", options, workspaceOptions);
  return openRoot(options.root);
}
