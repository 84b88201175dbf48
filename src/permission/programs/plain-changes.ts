// The programs that make and remove empty folders, make empty files, and set the times of files. They change no content.

import type { SafeProgram } from "./safe-program.js";

/**
 * The arguments that are allowed, by the program's name. These programs write no content and make no link, so no other program of the same
 * command does more than it does without these programs. The wall `files` keeps a command from changing the content of files outside of the
 * workspace. Landlock does not keep a command from setting their times, so the paths of `touch` are checked before: the gate asks about a
 * path outside. These programs then do only what the file tools may do without a question.
 */
export const plainChanges: ReadonlyMap<string, SafeProgram> = new Map<string, SafeProgram>([
  ["mkdir", { flags: "pv", long: ["parents", "verbose"] }],
  ["rmdir", { flags: "v", long: ["verbose"] }],
  ["touch", { flags: "c", long: ["no-create"] }],
]);
