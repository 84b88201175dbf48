// lastcall/tools: the built-in loop-breaking tools, tools that work in a folder, and notes.

export {
  askQuestion,
  converse,
  giveUp,
  taskCompletion,
  type Awaiting,
  type GivingUp,
  type Utterance,
  type Question,
  type TaskCompletion,
} from "./endings.js";
export {
  inBackground,
  type BackgroundResult,
  type BackgroundStop,
  type InBackground,
} from "./background/in-background.js";
export { ChildFailure } from "./delegate/child-failure.js";
export type { ChildApproval, ChildQuestion, QuestionsOf } from "./delegate/child-question.js";
export { delegate, type CompletionOf, type Delegate, type DelegateOptions, type Task } from "./delegate/delegate.js";
export type { Edit } from "./edit/apply-edits.js";
export { deleteFile, type DeleteFile } from "./edit/delete-file.js";
export { disk } from "./workspace/disk.js";
export { dryRun, type DryRun, type PlannedChange } from "./workspace/dry-run.js";
export { editFile, type EditFile } from "./edit/edit-file.js";
export {
  handBack,
  handOver,
  type HandBackOptions,
  type HandingBack,
  type HandingOver,
  type HandOver,
  type HandOverOptions,
} from "./handover/hand-over.js";
export {
  planInstructions,
  proposePlan,
  type Plan,
  type PlanQuestion,
  type PlanStep,
  type ProposePlan,
  type ProposePlanOptions,
} from "./handover/propose-plan.js";
export { listFiles, type ListFiles } from "./read/list-files.js";
export { moveFile, type MoveFile } from "./edit/move-file.js";
export {
  notes,
  type AddNote,
  type ListNotes,
  type NoteTools,
  type ScratchNote,
  type SearchNotes,
  type UpdateNote,
} from "./notes/notes.js";
export type { RootOptions } from "./workspace/root.js";
export { readFile, type ReadFile } from "./read/read-file.js";
export { readResult, type ReadResult } from "./read/read-result.js";
export {
  reportFindings,
  reviewInstructions,
  type ReviewFinding,
  type ReviewFindings,
} from "./review/report-findings.js";
export { runCommand, type CommandOptions, type RunCommand } from "./run-command.js";
export { searchFiles, type SearchFiles, type SearchOptions } from "./search/search-files.js";
export type { FileEntry, FileKind, FileLook, Replacing, WorkspaceFiles } from "./workspace/workspace-files.js";
export {
  bubblewrap,
  findSandbox,
  hostShell,
  landlock,
  sandboxExec,
  type CommandExit,
  type Finding,
  type SandboxOptions,
  type Shell,
  type ShellCommand,
} from "../shell/index.js";
export { workspaceChanges, type UndoTerms, type WorkspaceChanges } from "./changes/workspace-changes.js";
export type { ChangedFile, KeptFile, SessionFiles } from "./changes/undone.js";
export { forgetChanges } from "./changes/forget-changes.js";
export type { ChangeCaps, ChangesOptions } from "./changes/changes-options.js";
export type { TreeLimits } from "./changes/tree/tree-limits.js";
export type { Conflict, ConflictReason, Undone, UnseenCall } from "./changes/undone.js";
export { workspaceTools, type WorkspaceOptions, type WorkspaceTools } from "./workspace.js";
export { writeFile, type WriteFile } from "./edit/write-file.js";
