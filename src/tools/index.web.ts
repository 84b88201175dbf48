// The exports of lastcall/tools where there are no files and no processes.

import { onlyOnNode } from "../web/index.js";

export { askQuestion, converse, giveUp, taskCompletion } from "./endings.js";
export { inBackground } from "./background/in-background.js";
export { ChildFailure } from "./delegate/child-failure.js";
export { delegate } from "./delegate/delegate.js";
export { handBack, handOver } from "./handover/hand-over.js";
export { planInstructions, proposePlan } from "./handover/propose-plan.js";
export { notes } from "./notes/notes.js";
export { readResult } from "./read/read-result.js";
export { reportFindings, reviewInstructions } from "./review/report-findings.js";

export const deleteFile = onlyOnNode("deleteFile");
export const disk = onlyOnNode("disk");
export const dryRun = onlyOnNode("dryRun");
export const editFile = onlyOnNode("editFile");
export const listFiles = onlyOnNode("listFiles");
export const moveFile = onlyOnNode("moveFile");
export const readFile = onlyOnNode("readFile");
export const runCommand = onlyOnNode("runCommand");
export const searchFiles = onlyOnNode("searchFiles");
export const bubblewrap = onlyOnNode("bubblewrap");
export const findSandbox = onlyOnNode("findSandbox");
export const hostShell = onlyOnNode("hostShell");
export const landlock = onlyOnNode("landlock");
export const sandboxExec = onlyOnNode("sandboxExec");
export const forgetChanges = onlyOnNode("forgetChanges");
export const workspaceChanges = onlyOnNode("workspaceChanges");
export const workspaceTools = onlyOnNode("workspaceTools");
export const writeFile = onlyOnNode("writeFile");
