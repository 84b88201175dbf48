// Programs that tests start: on a bare machine there are Node and a shell, and no others.

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

/** For the end of a test's name: why it is left out, if one of the programs is missing; else nothing. */
export function without(...programs: readonly string[]): string {
  const missing = programs.filter((program) => !has(program));
  return missing.length === 0 ? "" : ` (left out: there is no ${missing.join(", no ")})`;
}

/** A command for a shell that takes so many seconds. It holds no single quotes. */
export function pause(seconds: number): string {
  return has("sleep") ? `sleep ${String(seconds)}` : `node -e "setTimeout(String, ${String(seconds * 1000)})"`;
}

/** A command for a shell that prints so many of the character. */
export function print(count: number, character = "x"): string {
  return `node -e 'process.stdout.write("${character}".repeat(${String(count)}))'`;
}

/** A command for a shell that prints its environment. */
export const printEnvironment = "/usr/bin/env";
