// The programs that tests start. A bare machine has only Node and a shell.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** True if the program is on PATH. */
export function has(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The reason for a skip, to put at the end of a test's name; an empty string if all the programs are installed. */
export function without(...programs: readonly string[]): string {
  const missing = programs.filter((program) => !has(program));
  return missing.length === 0 ? "" : ` (left out: there is no ${missing.join(", no ")})`;
}

/** A shell command that takes the given number of seconds. It contains no single quotes. */
export function pause(seconds: number): string {
  return has("sleep") ? `sleep ${String(seconds)}` : `node -e "setTimeout(String, ${String(seconds * 1000)})"`;
}

/** A shell command that prints the character `count` times. */
export function print(count: number, character = "x"): string {
  return `node -e 'process.stdout.write("${character}".repeat(${String(count)}))'`;
}

/** A shell command that prints its environment. */
export const printEnvironment = "/usr/bin/env";
