// The programs that make and remove empty folders, make empty files, and set the times of files. They change no content.

import type { SafeProgram } from "./safe-program.js";

/**
 * The arguments that are allowed, by the program's name. These programs write no content and make no link, so the other programs of a
 * command do nothing more because of them. The wall `files` keeps a command from changing files outside of the workspace: behind that wall,
 * these programs do only what the file tools may do without a question.
 */
export const plainChanges: ReadonlyMap<string, SafeProgram> = new Map<string, SafeProgram>([
  ["mkdir", { flags: "pv", long: ["parents", "verbose"] }],
  ["rmdir", { flags: "v", long: ["verbose"] }],
  ["touch", { flags: "c", long: ["no-create"] }],
]);
