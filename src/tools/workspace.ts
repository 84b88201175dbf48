// Makes all the tools that work in one folder.

import { deleteFile, type DeleteFile } from "./edit/delete-file.js";
import { editFile, type EditFile } from "./edit/edit-file.js";
import { listFiles, type ListFiles } from "./read/list-files.js";
import { moveFile, type MoveFile } from "./edit/move-file.js";
import { readFile, type ReadFile } from "./read/read-file.js";
import { workspaceOptions } from "./workspace/root.js";
import { runCommand, type CommandOptions, type RunCommand } from "./run-command.js";
import { searchFiles, type SearchFiles, type SearchOptions } from "./search/search-files.js";
import { writeFile, type WriteFile } from "./edit/write-file.js";
import type { Tool } from "../core/index.js";
import { checkOptions } from "../core/internal.js";

/** Options of the workspace tools. */
export type WorkspaceOptions = CommandOptions & SearchOptions;

/** The workspace tools, in a fixed order. */
export type WorkspaceTools = readonly [
  Tool<"read_file", ReadFile, string, "never">,
  Tool<"write_file", WriteFile, string, "never">,
  Tool<"edit_file", EditFile, string, "never">,
  Tool<"list_files", ListFiles, string, "never">,
  Tool<"search_files", SearchFiles, string, "never">,
  Tool<"move_file", MoveFile, string, "never">,
  Tool<"delete_file", DeleteFile, string, "never">,
  Tool<"run_command", RunCommand, string, "never">,
];

/**
 * Makes `read_file`, `write_file`, `edit_file`, `list_files`, `search_files`, `move_file`, `delete_file` and
 * `run_command` for one folder. All but the last stay inside it. A command can leave it, so run commands only behind a
 * permission or in a sandbox (`shell: bubblewrap(...)`).
 * @throws LastcallError `configuration` if the root does not exist or is no folder, a pattern of `hide` is invalid,
 * or an option is unknown.
 */
export function workspaceTools(options: WorkspaceOptions): WorkspaceTools {
  checkOptions("workspaceTools", options, workspaceOptions);
  return [
    readFile(options),
    writeFile(options),
    editFile(options),
    listFiles(options),
    searchFiles(options),
    moveFile(options),
    deleteFile(options),
    runCommand(options),
  ];
}
