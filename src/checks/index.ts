// lastcall/checks: checks that run before a completion is accepted, and after an edit.

export { command, type CommandCheckOptions } from "./command.js";
export { all, any, predicate, type PredicateOptions } from "./combine.js";
export { judge, type JudgeOptions } from "./judge.js";
export { postEdit, type PostEditCheck, type PostEditOptions } from "./post-edit.js";
export type { CommandExit, Shell, ShellCommand } from "../shell/index.js";
