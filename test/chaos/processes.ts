// Processes, seen from outside.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** False once the process is gone, or dead and not yet reaped. */
export function isRunning(pid: number): boolean {
  return !/^(?:Z|$)/.test(stateOf(pid));
}

/** Its letter, as ps says it; nothing if there is none. Where there is /proc no ps is needed. */
function stateOf(pid: number): string {
  if (!existsSync("/proc/self/stat")) {
    return spawnSync("ps", ["-o", "stat=", "-p", String(pid)])
      .stdout.toString()
      .trim();
  }
  // The name before the state is in brackets, and may hold any.
  return /\) (\w)[^)]*$/.exec(read(`/proc/${String(pid)}/stat`))?.[1] ?? "";
}

/** The command lines of all processes. */
export function commandLines(): readonly string[] {
  if (!existsSync("/proc/self/stat")) return spawnSync("ps", ["-eo", "args"]).stdout.toString().split("\n");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " "));
}

/** Nothing of a process that is gone meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
