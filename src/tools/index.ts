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
export { listFiles, type ListFiles } from "./list-files.js";
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
