// The programs that make or remove empty folders and files, and nothing else.

import type { SafeProgram } from "./safe-program.js";

/**
 * By name. They write nothing into a file and make no link, so that they make no other program of the command do more. Inside the wall
 * around the files outside of the workspace they do what the file tools do unasked.
 */
export const plainChanges: ReadonlyMap<string, SafeProgram> = new Map<string, SafeProgram>([
  ["mkdir", { flags: "pv", long: ["parents", "verbose"] }],
  ["rmdir", { flags: "v", long: ["verbose"] }],
  ["touch", { flags: "c", long: ["no-create"] }],
]);
