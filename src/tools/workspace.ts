// The workspace: four tools that work in one folder.

import { listFiles, type ListFiles } from "./list-files.js";
import { readFile, type ReadFile } from "./read-file.js";
import { runCommand, type CommandOptions, type RunCommand } from "./run-command.js";
import { writeFile, type WriteFile } from "./write-file.js";
import type { Tool } from "../core/index.js";

/** What the workspace tools are made from. */
export type WorkspaceOptions = CommandOptions;

/** The workspace tools, in a fixed order. */
export type WorkspaceTools = readonly [
  Tool<"read_file", ReadFile, string, "never">,
  Tool<"write_file", WriteFile, string, "never">,
  Tool<"list_files", ListFiles, string, "never">,
  Tool<"run_command", RunCommand, string, "never">,
];

/**
 * Makes `read_file`, `write_file`, `list_files` and `run_command` for one folder. The first three can't leave it; a
 * command can, so let it run only where permission or a sandbox (`shell: bubblewrap(...)`) sees to that.
 * @throws LastcallError `configuration` where the root does not exist or is no folder.
 */
export function workspaceTools(options: WorkspaceOptions): WorkspaceTools {
  return [readFile(options), writeFile(options), listFiles(options), runCommand(options)];
}
