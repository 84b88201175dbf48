// lastcall/checks: checks that run before a completion is accepted, and after an edit, and commands at other moments.

export { command, type CommandCheckOptions } from "./command.js";
export { commandHooks, type CommandHook, type CommandHooksOptions, type HookMoment } from "./command-hooks.js";
export { all, any, predicate, type PredicateOptions } from "./combine.js";
export { judge, type JudgeOptions } from "./judge.js";
export { postEdit, type PostEditCheck, type PostEditOptions } from "./post-edit.js";
export type { CommandExit, Shell, ShellCommand } from "../shell/index.js";
