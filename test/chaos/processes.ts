// Processes, seen from outside.

import { spawnSync } from "node:child_process";

/** False once the process is gone, or dead and not yet reaped. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)]);
  return !/^(?:Z|$)/.test(stdout.toString().trim());
}
