// The process groups of a terminal: the group in the foreground may read keys.

import { readFileSync } from "node:fs";

/**
 * True if this process has a terminal whose foreground belongs to another group of processes. The system stops a process of the background
 * that changes the modes of its terminal. Without `/proc` (not Linux) this is not known, and it returns false.
 */
export function isInBackground(): boolean {
  try {
    return isBackground(readFileSync("/proc/self/stat", "latin1"));
  } catch {
    return false;
  }
}

/** Reads the form of `/proc/self/stat`. */
export function isBackground(stat: string): boolean {
  // After the program's name, which may contain any characters, come the state, the parent, the group, the session, the terminal, and the
  // terminal's foreground group. That is -1 without a terminal.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [, , group, , , foreground] = fields.map(Number);
  return foreground !== undefined && foreground > 0 && foreground !== group;
}
