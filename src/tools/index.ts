// lastcall/tools: the built-in loop-breaking tools, tools that work in a folder, and notes.

export {
  askQuestion,
  converse,
  giveUp,
  taskCompletion,
  type Awaiting,
  type GivingUp,
  type Message,
  type Question,
  type TaskCompletion,
} from "./endings.js";
export type { Edit } from "./apply-edits.js";
export { deleteFile, type DeleteFile } from "./delete-file.js";
export { disk } from "./disk.js";
export { dryRun, type DryRun, type PlannedChange } from "./dry-run.js";
export { editFile, type EditFile } from "./edit-file.js";
export { listFiles, type ListFiles } from "./list-files.js";
export { moveFile, type MoveFile } from "./move-file.js";
export {
  notes,
  type AddNote,
  type ListNotes,
  type NoteTools,
  type ScratchNote,
  type SearchNotes,
  type UpdateNote,
} from "./notes.js";
export type { RootOptions } from "./root.js";
export { readFile, type ReadFile } from "./read-file.js";
export { readResult, type ReadResult } from "./read-result.js";
export { runCommand, type CommandOptions, type RunCommand } from "./run-command.js";
export { searchFiles, type SearchFiles, type SearchOptions } from "./search-files.js";
export type { FileEntry, FileKind, FileLook, Replacing, WorkspaceFiles } from "./workspace-files.js";
export {
  bubblewrap,
  findSandbox,
  hostShell,
  type Ending,
  type Finding,
  type SandboxOptions,
  type Shell,
  type ShellCommand,
} from "../shell/index.js";
export { workspaceTools, type WorkspaceOptions, type WorkspaceTools } from "./workspace.js";
export { writeFile, type WriteFile } from "./write-file.js";
