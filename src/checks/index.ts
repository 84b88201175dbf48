// lastcall/checks: questions that a machine answers before a completion is accepted.

export { command, type CommandCheckOptions } from "./command.js";
export { all, any, predicate } from "./combine.js";
